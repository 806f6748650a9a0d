import JSONText
import ReportFormats

/// Finds the line of a text where a report of another kind begins.
///
/// Each text format reads all reports of its own kind. Only a line that no other kind contains
/// counts as a beginning: a missed boundary does little harm, but a wrong one would split a report.
struct ReportBoundary {
    enum Kind {
        case swift, leaks, sample, spindump, android, crashText, stacks
        /// MetricKit's payloads.
        case payload
        /// A report that is not supported.
        case unsupported
    }

    /// The maximum number of objects that turn out to be damaged. Each may have been read to the
    /// end of the text.
    private static let damagedObjectsLimit = 16
    /// The number of lines in which a header names its exception.
    private static let headerLinesLimit = 40
    /// The maximum number of lines of a panic's message.
    private static let messageLinesLimit = 16
    /// The maximum number of lines of a header before the one that identifies its report.
    private static let linesBeforeLimit = 16

    private let bytes: [UInt8]
    private var end: Int
    private let context: ReadingContext
    private var kind: Kind?
    private var damagedObjectCount = 0
    /// The end of the last JSON that does not begin a report.
    private(set) var objectEnd: Int?
    private var hasFullReport = false
    /// The starts of the lines directly before the current one that may be the header of its
    /// report.
    private var linesBefore: [Int] = []

    init(_ bytes: [UInt8], context: ReadingContext) {
        self.bytes = bytes
        end = bytes.count
        self.context = context
    }

    /// Returns the start of the first report of another kind than the one that a text begins with,
    /// or `nil` if there is none.
    ///
    /// - Parameter kind: The kind of the report before the text, or `nil` if the text begins with
    ///   one.
    mutating func next(in range: Range<Int>, after kind: Kind? = nil) -> Int? {
        end = range.upperBound
        self.kind = kind
        objectEnd = nil
        hasFullReport = false
        linesBefore = []
        var position = range.lowerBound
        while position < end {
            let line = line(at: position)
            var following = line.endIndex + 1
            if line.first == UInt8(ascii: "{"), position > range.lowerBound, !hasFullReport {
                switch object(at: position) {
                case .report: return position
                case .other(let objectEnd):
                    self.objectEnd = objectEnd
                    following = max(following, objectEnd)
                case .none: break
                }
            } else if let found = beginning(line, at: position) {
                if let known = self.kind, known != found { return linesBefore.first ?? position }
                self.kind = found
                linesBefore = []
                position = following
                continue
            }
            if line.droppingLineEnd.elementsEqual("Full Report".utf8) { hasFullReport = true }
            addLineBefore(line, at: position)
            position = following
        }
        return nil
    }

    /// Returns a line without its end, or its first bytes if it is too long to be read.
    private func line(at position: Int) -> ArraySlice<UInt8> {
        let lineEnd = bytes[position..<end].firstIndex(of: .newline) ?? end
        return bytes[position..<lineEnd]
    }

    /// Returns the lines after the one at `start`, at most `limit`.
    private func lines(after start: Int, limit: Int) -> some Sequence<ArraySlice<UInt8>> {
        sequence(first: line(at: start)) { line in
            let next = line.endIndex + 1
            return next < end ? self.line(at: next) : nil
        }
        .dropFirst().prefix(limit)
    }

    private mutating func addLineBefore(_ line: ArraySlice<UInt8>, at position: Int) {
        let content = line.droppingLineEnd
        let isOfHeader =
            content.isEmpty || BufferedFormat.isHeading(content) || SwiftPreamble.isMessage(content)
        guard isOfHeader else { return linesBefore.removeAll(keepingCapacity: true) }
        if linesBefore.count == Self.linesBeforeLimit { linesBefore.removeFirst() }
        linesBefore.append(position)
    }
}

extension ReportBoundary {
    /// Returns the kind of the report that begins with a line.
    private func beginning(_ whole: ArraySlice<UInt8>, at position: Int) -> Kind? {
        let line = whole.droppingLineEnd
        guard !line.isEmpty, line.count <= TextLines.lineBytesLimit else { return nil }
        if SwiftTextReport.isIdentified(by: line) { return .swift }
        if LeaksReport.isIdentified(by: line) { return .leaks }
        if SpindumpReport.isIdentified(by: line) { return .spindump }
        // A call graph may also belong to a listing of allocations.
        if SampleReport.isIdentified(by: line) {
            let isOpen = kind != .payload && kind != .unsupported
            return line.starts(with: "Analysis ".utf8) || !isOpen ? .sample : kind ?? .sample
        }
        if line.position(of: "Build fingerprint: ") != nil, AndroidReport.isIdentified(by: line) {
            return .android
        }
        if CrashText.startsReport(line), namesException(after: position) { return .crashText }
        return beginsStacks(line, at: position) ? .stacks : nil
    }

    /// Whether the header that begins at a line is that of a crash. Hangs and call graphs have
    /// headers with the same keys.
    private func namesException(after start: Int) -> Bool {
        let key = line(at: start).prefix { $0 != UInt8(ascii: ":") }
        for line in lines(after: start, limit: Self.headerLinesLimit) {
            if line.starts(with: "Exception Type:".utf8) { return true }
            // The first key again: another report begins here.
            let isOther =
                line.starts(with: key) && line.dropFirst(key.count).first == UInt8(ascii: ":")
            if isOther || SpindumpReport.isIdentified(by: line)
                || SampleReport.isIdentified(by: line)
            {
                return false
            }
        }
        return false
    }

    /// Whether a line begins stacks on Linux. Notations without a distinct first line need two
    /// lines.
    private func beginsStacks(_ line: ArraySlice<UInt8>, at position: Int) -> Bool {
        guard let number = LinuxStacks.number(begunBy: line) else { return false }
        let content = line.trimmed
        if content.starts(with: "thread '".utf8) { return hasBacktrace(after: position) }
        if Self.stackBeginnings.contains(where: { content.starts(with: $0) })
            || line.position(of: ": runtime error: ") != nil
        {
            return true
        }
        if line.first?.isBlank == true { return false }
        let next = position + line.count + 1
        return next < end
            && LinuxStacks.number(begunBy: self.line(at: next).droppingLineEnd) == number
    }

    /// Whether the stack of a Rust panic follows its first line and its message. A panic without one
    /// may be the message in another report.
    private func hasBacktrace(after start: Int) -> Bool {
        lines(after: start, limit: Self.messageLinesLimit).contains {
            $0.trimmed.starts(with: "stack backtrace:".utf8)
        }
    }

    private static let stackBeginnings = [
        "#0 ", "==", "WARNING: ", "goroutine ", "Core was generated by ", "Program ",
        "Thread ", "* thread #", "frame #0", "* frame #0", "PID: ",
    ].map { Array($0.utf8) }
}

extension ReportBoundary {
    private enum Object {
        case report
        /// Other JSON, by its end.
        case other(Int)
    }

    /// Returns the kind of JSON that begins at a line, or `nil` if it is not JSON.
    private mutating func object(at position: Int) -> Object? {
        guard damagedObjectCount < Self.damagedObjectsLimit else { return nil }
        var values = JSONValueSequence(bytes, in: position..<end, context: context)
        let input = values.next()
        // Text reports of one kind may have headers in JSON.
        if input == nil, values.header != nil { return kind == .crashText ? nil : .report }
        guard let input else { return nil }
        if input.context.header != nil { return .report }
        guard input.damage == nil else {
            damagedObjectCount += 1
            return nil
        }
        // Reports in Swift's logs may be in JSON too.
        if SwiftJSONReport.fits(input.root), kind == .swift {
            return .other(input.range.upperBound)
        }
        let isOfPayloads = kind == .payload && DocumentDetection.isPayload(input.root)
        let isReport = !isOfPayloads && DocumentDetection.isReport(input.root)
        return isReport ? .report : .other(input.range.upperBound)
    }
}
