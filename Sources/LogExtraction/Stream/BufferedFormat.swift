import JSONText
import ReportFormats

/// The format of the lines that a ``ReportStream`` buffers, which determines where the report ends.
enum BufferedFormat: Equatable {
    /// Binary data, up to the end of the stream.
    case binary
    /// JSON over several lines, or text after a JSON header.
    case document(BufferedDocument)
    /// JSON on one line.
    case value
    /// Text with addresses in most of its lines.
    case text
    /// Text that consists only of lines of one kind.
    case rows
    /// Stacks in a notation.
    case stacks(PrefixedNotation)
    /// JSON log records with the lines of stacks in a notation, one line each.
    case stackRecords(PrefixedNotation, key: String)
    /// Output of a program before a report, if one follows.
    case preamble
    /// Lines of keys and values at the start of a stream, which may be the header of a report.
    case heading
    /// A text report after its last line. On a Mac, the full report may follow as JSON.
    case ended
    /// JSON log records, starting with the one that begins a report.
    case records
    /// A record that may begin a report or describe a process.
    case recordHeading

    /// The number of consecutive lines without a sign of the report after which it ends.
    var idleLinesLimit: Int {
        switch self {
        case .stacks(let stacks), .stackRecords(let stacks, _): stacks.notation.gapLimit + 1
        default: ReportStream.idleLinesLimit
        }
    }

    /// The format of stacks after a line of the stream, which may be the first with the prefix of a
    /// log.
    ///
    /// - Returns: The format, and the contents of the line or `nil` if it is not in the notation.
    private func parsing(_ line: ArraySlice<UInt8>) -> (format: Self, said: StackLine?) {
        guard let content = stackLine(line) else { return (self, nil) }
        switch self {
        case .stacks(var stacks):
            let said = stacks.parse(content)
            return (.stacks(stacks), said)
        case .stackRecords(var stacks, let key):
            let said = stacks.parse(content)
            return (.stackRecords(stacks, key: key), said)
        default: return (self, nil)
        }
    }

    /// Returns the line of a stack in a line of the stream, or `nil` if the line is not a log
    /// record.
    private func stackLine(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard case .stackRecords(_, let key) = self else { return line.droppingLineEnd }
        return BufferedLogRecord(line.trimmedLine, key: key)?.line
    }

    /// Returns the contents of a stack line in the stream.
    private func said(by line: ArraySlice<UInt8>) -> StackLine? { parsing(line).said }

    /// Whether only a further line can show that this is a report.
    var isOpen: Bool { self == .preamble || self == .heading || self == .recordHeading }

    /// Whether the lines belong to a report only if one with a key of a report follows.
    var isUndecided: Bool {
        if case .document(let document) = self { !document.isReport } else { false }
    }

    /// Whether the lines belong to a report if the stream ends after them.
    var isReportAtEnd: Bool {
        if case .document(let document) = self { document.isReportAtEnd } else { !isOpen }
    }

    /// Adds a part of a line that is too long to be examined as a whole.
    mutating func addPart(_ bytes: ArraySlice<UInt8>) {
        guard case .document(var document) = self else { return }
        document.addPart(bytes)
        self = .document(document)
    }

    /// - Parameters:
    ///   - line: A line with its end.
    ///   - isFirst: Whether only blanks precede it.
    init?(startedBy line: ArraySlice<UInt8>, isFirst: Bool) {
        if isFirst, DocumentDetection.isBinary(line) {
            self = .binary
            return
        }
        let content = line.trimmedLine
        guard let first = content.first else { return nil }
        let mayBeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        if mayBeJSON, let format = DocumentDetection.format(content, isFirst: isFirst) {
            self = format
            return
        }
        if isFirst, DocumentDetection.isQuotedDocument(content) {
            self = .value
            return
        }
        // A bracket may also begin the prefix of a log: `[error] …`.
        if first != UInt8(ascii: "{"), let format = Self.textFormat(content) {
            if format == LinuxStacks.self, let number = LinuxStacks.number(begunBy: content) {
                self = .stacks(PrefixedNotation(number, after: line.droppingLineEnd))
            } else {
                self = Self.isRow(format) ? .rows : .text
            }
            return
        } else if Self.beginsTree(content), line.first?.isQuotePrefix == true {
            self = .text
            return
        }
        if SwiftPreamble.isMessage(content) || UncaughtException.announcement(in: content) != nil
            || CrashlyticsText.isHeading(content)
        {
            self = .preamble
        } else if isFirst, Self.isHeading(content) {
            self = .heading
        } else {
            return nil
        }
    }

    /// Whether a line is `Hardware Model:      iPhone17,3`, or precedes such lines on a Mac or
    /// Android.
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

    /// Whether a line is `-----------` or `*** *** *** ***`.
    static func isRule(_ line: ArraySlice<UInt8>) -> Bool {
        line.count > 10
            && line.allSatisfy {
                $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "*") || $0 == .space
            }
    }

    /// Returns the format of JSON that begins with a line, or `nil` if it does not begin a report
    /// in JSON.
    private static func json(begunBy line: ArraySlice<UInt8>) -> Self? {
        guard line.first == UInt8(ascii: "{") else { return nil }
        let content = line.trimmedLine
        switch DocumentDetection.format(content, isFirst: false) {
        case .document(var document):
            document.followsText = true
            return .document(document)
        case .value:
            let root = JSONDocument(Array(content)).root
            return root.map(DocumentDetection.isReport) == true ? .value : nil
        default: return nil
        }
    }

    static func startsText(_ line: ArraySlice<UInt8>) -> Bool {
        textFormat(line).map { !isRow($0) } ?? false
    }

    private static func textFormat(
        _ line: ArraySlice<UInt8>
    ) -> (any TextReportFormat.Type)? {
        guard line.count <= TextLines.lineBytesLimit else { return nil }
        return CrashFileReader.textFormats.first { $0.isIdentified(by: line) }
    }

    /// Whether a line without its indentation is part of a spindump's trees.
    private static func beginsTree(_ content: ArraySlice<UInt8>) -> Bool {
        guard content.count <= TextLines.lineBytesLimit else { return false }
        return SpindumpExcerpt.isHeading(content)
            || (content.first?.isDigit == true && SpindumpExcerpt.isNode(content))
    }

    /// Whether a format consists only of lines of one kind.
    static func isRow(_ format: any TextReportFormat.Type) -> Bool {
        format == StandaloneFrames.self || format == OffsetList.self
    }

    /// Whether a format consists of parts of call trees.
    static func isExcerpt(_ format: any TextReportFormat.Type) -> Bool {
        format == SpindumpExcerpt.self || format == SampleExcerpt.self
    }

    /// Whether a format is identified by the beginning of a report, which has no indentation.
    static func startsReport(_ format: any TextReportFormat.Type) -> Bool {
        !isRow(format) && !isExcerpt(format)
    }

    /// Returns the format after one more line, or `nil` if the line cannot belong to the report.
    func continued(by line: ArraySlice<UInt8>) -> Self? {
        let content = line.trimmedLine
        switch self {
        case .binary, .value: return self
        case .document(let document): return Self.next(after: document, line, content)
        case .text:
            switch Self.json(begunBy: line) {
            case .document(let document): return .document(document)
            case .value: return nil
            default: return Self.isEnd(content) ? .ended : self
            }
        case .ended:
            if content.elementsEqual("Full Report".utf8) { return .document(BufferedDocument()) }
            return content.isEmpty || Self.isRule(content) ? self : nil
        case .stacks, .stackRecords:
            let parsed = parsing(line)
            if parsed.said != nil { return parsed.format }
            if case .stacks = self, Self.json(begunBy: line) != nil { return nil }
            // A line that begins another report ends this one.
            guard let stackLine = stackLine(line), idleLinesLimit > 1 else { return nil }
            return Self.startsText(stackLine.trimmedLine) ? nil : self
        case .rows:
            return FrameLine(content) != nil || OffsetList.isIdentified(by: content) ? self : nil
        case .heading:
            if Self.startsText(content) || CrashTextHeading(content) != nil { return .text }
            return content.isEmpty || Self.isHeading(content) ? self : nil
        case .records: return BufferedLogRecord(content) == nil ? nil : self
        case .recordHeading: return BufferedLogRecord(content)?.isHeading == true ? .records : nil
        case .preamble:
            if SwiftTextReport.isIdentified(by: content) { return .text }
            if FrameLine(content) != nil { return .rows }
            let isOfRuntime =
                content.isEmpty || content.position(of: "swift-runtime: ") != nil
                || content.position(of: "First throw call stack:") != nil
                || content.elementsEqual("(".utf8)
            return isOfRuntime || SwiftPreamble.isMessage(content) ? self : nil
        }
    }

    /// Returns the format after one more line of a document. JSON in a text report that is not a
    /// report itself belongs to the text.
    private static func next(
        after document: BufferedDocument, _ line: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>
    ) -> Self? {
        let next = document.continued(by: line, content)
        guard document.followsText, !document.hasEvidence else { return next }
        if case .document(let document)? = next, !document.endsWithoutReport { return next }
        return next == nil ? Self.text.continued(by: line) : .text
    }

    /// Whether a line certainly belongs to the report.
    func isFull(_ line: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .binary, .value, .rows: true
        case .document(let document): document.isReport && !line.trimmedLine.isEmpty
        case .preamble, .heading, .recordHeading: false
        case .ended: Self.isEnd(line.trimmedLine)
        case .stacks, .stackRecords: said(by: line) != nil
        case .records: BufferedLogRecord(line.trimmedLine)?.isFull == true
        case .text:
            ["0x", " pc "].contains { line.position(of: $0) != nil } || ends(with: line)
                || Self.isOfTombstone(line)
        }
    }

    private static func isEnd(_ line: ArraySlice<UInt8>) -> Bool { line.elementsEqual("EOF".utf8) }

    /// Whether a line follows the frames of a tombstone: addresses without `0x`, and open files.
    ///
    ///     000000775ba00c90 000000754c402278  x"@Lu...
    ///     0000007a'1514d000-0000007a'15150fff r--  0  4000  /system/lib64/libc.so
    ///     fd 89: /dev/ashmem
    private static func isOfTombstone(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first?.isBlank == true else { return false }
        let word = line.trimmed.prefix { !$0.isBlank }
        return word.prefix { $0.hexDigitValue != nil }.count >= 8 || word.elementsEqual("fd".utf8)
    }

    /// Whether the report ends with a line.
    func ends(with line: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .binary, .rows, .preamble, .heading, .ended, .recordHeading: false
        case .document(let document): document.endsWithoutReport
        case .records: BufferedLogRecord(line.trimmedLine)?.endsReport == true
        case .value: true
        case .stacks, .stackRecords:
            if case .end? = said(by: line) { true } else { false }
        case .text:
            line.position(of: "Backtrace took ") != nil || line.position(of: "backtraceTime") != nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// The line without its line break.
    var droppingLineEnd: Self {
        let line = last == .newline ? dropLast() : self
        return line.last == .carriageReturn ? line.dropLast() : line
    }

    /// The line without its end, surrounding blanks, a byte-order mark and a quote prefix.
    fileprivate var trimmedLine: ArraySlice<UInt8> {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let line = starts(with: mark) ? dropFirst(mark.count) : self
        return (line.last == .newline ? line.dropLast() : line).trimmed.drop(
            while: \.isQuotePrefix)
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
