/// What a ``ReportStream`` holds, as far as that tells where it ends.
enum HeldFormat: Equatable {
    /// JSON of several lines, what follows a header in JSON, or no text: to the end of the stream.
    case document
    /// JSON on one line.
    case value
    /// Text with addresses in most of its lines.
    case text
    /// Nothing but lines of one kind.
    case rows
    /// What a program says before a report, if one follows.
    case preamble
    /// Lines of names and values at the start of a stream, which may be the head of a report.
    case heading
    /// A text whose last line has come; on a Mac all of the report may follow, once more as JSON.
    case ended
    /// Records of a log in JSON, from the one on that begins a report.
    case records
    /// A record that may begin a report, or say something of a process.
    case recordHeading

    /// Whether it is a report only if another line tells so.
    var isOpen: Bool { self == .preamble || self == .heading || self == .recordHeading }

    /// - Parameters:
    ///   - line: A line with its end.
    ///   - isFirst: Whether nothing but blanks came before it.
    init?(startedBy line: ArraySlice<UInt8>, isFirst: Bool) {
        if isFirst, DocumentStart.isBinary(line) {
            self = .document
            return
        }
        let content = line.trimmedLine
        guard let first = content.first else { return nil }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            if let format = DocumentStart.format(content, isFirst: isFirst) {
                self = format
                return
            }
        } else if let format = Self.textFormat(content) {
            self = Self.isRow(format) ? .rows : .text
            return
        }
        if SwiftPreamble.isMessage(content) || UncaughtException.announcement(in: content) != nil {
            self = .preamble
        } else if isFirst, Self.isHeading(content) {
            self = .heading
        } else {
            return nil
        }
    }

    /// `Hardware Model:      iPhone17,3`, or what comes before such lines on a Mac and on Android.
    static func isHeading(_ line: ArraySlice<UInt8>) -> Bool {
        if isRule(line) || line.starts(with: "Translated Report (".utf8) { return true }
        guard let colon = line.prefix(40).firstIndex(of: UInt8(ascii: ":")),
            let first = line.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
        else { return false }
        let end = line[(colon + 1)...].first
        return (end == nil || end == .space)
            && line[..<colon].allSatisfy {
                $0 == .space || $0 == UInt8(ascii: "/") || ($0 | 0x20).isLowercaseLetter
            }
    }

    /// `-----------` or `*** *** *** ***`
    private static func isRule(_ line: ArraySlice<UInt8>) -> Bool {
        line.count > 10
            && line.allSatisfy {
                $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "*") || $0 == .space
            }
    }

    private static func startsText(_ line: ArraySlice<UInt8>) -> Bool {
        textFormat(line).map { !isRow($0) } ?? false
    }

    private static func textFormat(
        _ line: ArraySlice<UInt8>
    ) -> (any TextReportReading.Type)? {
        guard line.count <= TextLines.lineBytesLimit else { return nil }
        return CrashFileReader.textFormats.first { $0.isAnchor(line) }
    }

    /// Whether a format is lines of one kind and no more.
    static func isRow(_ format: any TextReportReading.Type) -> Bool {
        format == BareFrames.self || format == OffsetList.self
    }

    /// What it is with one more line; `nil` where the line cannot belong to it.
    func goingOn(with line: ArraySlice<UInt8>) -> Self? {
        let content = line.trimmedLine
        switch self {
        case .document, .value: return self
        case .text: return Self.isEnd(content) ? .ended : self
        case .ended:
            if content.elementsEqual("Full Report".utf8) { return .document }
            return content.isEmpty || Self.isRule(content) ? self : nil
        case .rows:
            return FrameLine(content) != nil || OffsetList.isAnchor(content) ? self : nil
        case .heading:
            if Self.startsText(content) || CrashTextHead(content) != nil { return .text }
            return content.isEmpty || Self.isHeading(content) ? self : nil
        case .records: return HeldRecord(content) == nil ? nil : self
        case .recordHeading: return HeldRecord(content)?.isHeading == true ? .records : nil
        case .preamble:
            if SwiftTextReport.isAnchor(content) { return .text }
            if BareFrames.isAnchor(content) { return .rows }
            let isOfRuntime =
                content.isEmpty || content.position(of: "swift-runtime: ") != nil
                || content.position(of: "First throw call stack:") != nil
                || content.elementsEqual("(".utf8)
            return isOfRuntime || SwiftPreamble.isMessage(content) ? self : nil
        }
    }

    /// Whether a line is certainly not behind it.
    func isFull(_ line: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .document, .value, .rows: true
        case .preamble, .heading, .recordHeading: false
        case .ended: Self.isEnd(line.trimmedLine)
        case .records: HeldRecord(line.trimmedLine)?.isFull == true
        case .text:
            ["0x", " pc "].contains { line.position(of: $0) != nil } || ends(with: line)
                || Self.isOfTombstone(line)
        }
    }

    private static func isEnd(_ line: ArraySlice<UInt8>) -> Bool { line.elementsEqual("EOF".utf8) }

    /// Whether a line has what stands in a tombstone behind the frames: addresses without `0x`, and
    /// open files.
    ///
    ///     000000775ba00c90 000000754c402278  x"@Lu...
    ///     0000007a'1514d000-0000007a'15150fff r--  0  4000  /system/lib64/libc.so
    ///     fd 89: /dev/ashmem
    private static func isOfTombstone(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first?.isBlank == true else { return false }
        let word = line.trimmed.prefix { !$0.isBlank }
        return word.prefix { $0.hexDigitValue != nil }.count >= 8 || word.elementsEqual("fd".utf8)
    }

    /// Whether nothing follows a line of it.
    func ends(with line: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .document, .rows, .preamble, .heading, .ended, .recordHeading: false
        case .records: HeldRecord(line.trimmedLine)?.endsReport == true
        case .value: true
        case .text:
            line.position(of: "Backtrace took ") != nil || line.position(of: "backtraceTime") != nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without its end, blanks around it, and the marks that a text or a quoted line may begin with.
    fileprivate var trimmedLine: ArraySlice<UInt8> {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let line = starts(with: mark) ? dropFirst(mark.count) : self
        return (line.last == .newline ? line.dropLast() : line).trimmed.drop(
            while: QuotedText.isMark)
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
