import CallStacks

/// The end of a text report, which may show that the text is truncated.
///
/// Excerpts and reports without their last line break are not truncated. A report is truncated if
/// its last line is the heading of its images, or has no line break and is an incomplete frame, node
/// or image.
struct ReportEnd {
    /// The last line that is not blank.
    private let last: ArraySlice<UInt8>
    /// The line before it that is not blank.
    private let previous: ArraySlice<UInt8>
    /// Whether a line break follows the last line.
    private let hasLineBreak: Bool

    /// - Parameter range: The lines of the report.
    init(of lines: TextLines, _ range: Range<Int>) {
        var ends = range.reversed().lazy.filter { !lines.content($0).trimmed.isEmpty }
            .prefix(2).makeIterator()
        let number = ends.next()
        last = number.map(lines.content) ?? []
        previous = ends.next().map(lines.content) ?? []
        hasLineBreak = number.map { !lines.lineEnd($0).isEmpty } ?? true
    }

    /// Whether a report with threads is truncated.
    var isInCrash: Bool { isInImages || (!hasLineBreak && isInFrame) }

    /// Whether a report with call trees is truncated.
    func isInTree<Notation: TreeNotation>(_ notation: Notation.Type) -> Bool {
        isInImages || (!hasLineBreak && isInNode(notation))
    }
}

extension ReportEnd {
    /// Whether the list of images is announced and missing, or its last line is incomplete.
    private var isInImages: Bool {
        if Self.announcesImages(last) { return true }
        let before = ImageLine(previous)?.image
        guard !hasLineBreak, before != nil || Self.announcesImages(previous),
            let first = last.trimmed.first, [UInt8(ascii: "0"), UInt8(ascii: "*")].contains(first)
        else { return false }
        guard let image = ImageLine(last)?.image else { return true }
        return image.path == nil && before?.path != nil
    }

    private static func announcesImages(_ line: ArraySlice<UInt8>) -> Bool {
        line.trimmed.elementsEqual("Binary Images:".utf8)
    }

    /// Whether the last line has the number of the next frame and lacks its address or what follows
    /// the address.
    private var isInFrame: Bool {
        guard let number = nextFrameNumber,
            last.trimmed.prefix(while: \.isDigit).elementsEqual("\(number)".utf8)
        else { return false }
        guard let frame = FrameLine(last) else { return true }
        let words = Words(last.dropFirst(frame.restRange.lowerBound))
        guard !frame.restRange.isEmpty, let end = words.last
        else { return FrameLine(previous)?.restRange.isEmpty != true }
        let isBase = words.count == 1 && UInt64(address: last[end]) != nil
        return isBase || last[end].elementsEqual("+".utf8)
    }

    /// The number of a frame in the last line, or `nil` if the line before is not part of a stack.
    private var nextFrameNumber: Int? {
        if let frame = FrameLine(previous) { return frame.number + 1 }
        switch CrashTextHeading(previous) {
        case .thread, .lastException, .applicationBacktrace: return 0
        default: return nil
        }
    }

    /// Whether the last line is indented below a node and lacks an address.
    private func isInNode<Notation: TreeNotation>(_ notation: Notation.Type) -> Bool {
        guard Notation.line(previous)?.frame != nil, last.first?.isBlank == true,
            Notation.line(last)?.frame == nil
        else { return false }
        let rest = last.drop(while: Notation.isPrefix)
        return rest.first?.isDigit ?? true && last.last != UInt8(ascii: ">")
    }
}
