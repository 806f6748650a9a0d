import CallStacks
import ReportFormats

/// Detects the parts of a file from the content, and reads each in its format.
struct CrashFileParser {
    let bytes: [UInt8]
    let context: ReadingContext
    /// Whether the text comes from a string in another file.
    let isNested: Bool
    var file = CrashFile()
    var boundary: ReportBoundary?
    /// The text after the part that is being read.
    private(set) var unreadText: Range<Int>?
    /// Whether a part before this one was read.
    private(set) var isLaterPart = false
    /// The maximum number of parts of different kinds.
    private static let partsLimit = 256

    init(_ bytes: [UInt8], context: ReadingContext, isNested: Bool = false) {
        self.bytes = bytes
        self.isNested = isNested
        self.context = context
    }

    /// Reads a text part by part. Each part has reports of one kind.
    mutating func read(_ range: Range<Int>) {
        boundary = ReportBoundary(bytes, context: context)
        readPart(range)
        isLaterPart = true
        for part in 1... {
            guard let text = unreadText, !text.isEmpty else { return }
            unreadText = nil
            if part == Self.partsLimit {
                boundary = nil
                file.remarks.append(.sizeLimit)
            }
            readPart(text)
            if part == Self.partsLimit { return }
        }
    }

    private mutating func readPart(_ range: Range<Int>) {
        // After another report, only text that begins with a bracket can be JSON.
        let mayBeJSON = !isLaterPart || bytes[range.lowerBound] == UInt8(ascii: "{")
        if mayBeJSON, readValues(range) { return }
        readText(range, header: nil, mayContainReport: !isLaterPart)
    }

    /// Leaves a text at the end of the part, and everything after the part, to be read as the next
    /// part.
    mutating func postpone(_ text: Range<Int>) {
        unreadText = text.lowerBound..<(unreadText?.upperBound ?? text.upperBound)
    }

    /// Returns the text up to the first report of another kind, which is postponed.
    mutating func firstPart(of range: Range<Int>) -> Range<Int> {
        guard let start = boundary?.next(in: range) else { return range }
        postpone(start..<range.upperBound)
        return range.lowerBound..<start
    }
}
