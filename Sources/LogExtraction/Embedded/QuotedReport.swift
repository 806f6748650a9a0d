import Algorithms
import JSONText
import ReportFormats

/// A pasted report with a prefix before each line: blanks, `> `, or several of them.
struct QuotedReport {
    /// The text without the prefixes; lines without one are unchanged.
    let bytes: [UInt8]
    private let prefix: [UInt8]
    /// The start of each line in this text, and its position in the file.
    private let starts: [(own: Int, outer: Int)]

    /// - Returns: `nil` if no line identifies a report once a prefix is removed.
    init?(_ lines: TextLines) {
        guard let prefix = Self.prefix(in: lines) else { return nil }
        self.prefix = prefix
        var bytes: [UInt8] = []
        var starts: [(own: Int, outer: Int)] = []
        for line in lines.indices {
            let text = lines.bytes[lines.ranges[line]]
            let length = Self.length(of: prefix, in: text)
            starts.append((bytes.count, text.startIndex + length))
            bytes += text.dropFirst(length)
            bytes += lines.lineEnd(line)
        }
        self.bytes = bytes
        self.starts = starts
    }

    /// Converts a range of this text to one of the file.
    func outer(_ range: Range<Int>) -> Range<Int> {
        let start = outer(range.lowerBound)
        return start..<max(start, outer(range.upperBound))
    }

    private func outer(_ position: Int) -> Int {
        let count = starts.partitioningIndex { $0.own > position }
        guard count > 0 else { return position }
        return starts[count - 1].outer + position - starts[count - 1].own
    }

    /// Converts an edit of this text to one of the file, adding the prefix to each new line.
    func prefixed(_ edit: Edit) -> Edit {
        var text: [UInt8] = []
        for byte in edit.bytes {
            text.append(byte)
            if byte == .newline { text += prefix }
        }
        return Edit(outer(edit.range), text)
    }
}

extension QuotedReport {
    /// The maximum length of a prefix, in bytes.
    private static let prefixLimit = 32

    /// Returns the prefix of the first line that identifies a report, without the indentation that
    /// the line has of its own.
    private static func prefix(in lines: TextLines) -> [UInt8]? {
        var heading: ArraySlice<UInt8>?
        var objects = QuotedObjects()
        for line in lines.indices {
            let content = lines.content(line)
            let prefix = content.prefix(while: \.isQuotePrefix)
            let text = content.dropFirst(prefix.count)
            if let indentation = headingIndentation(of: text) {
                heading = heading ?? prefix.dropLast(indentation)
            } else if isNode(text) {
                let found = heading ?? prefixOfNode(prefix)
                return found.isEmpty || found.count >= prefixLimit ? nil : Array(found)
            } else if !prefix.isEmpty, prefix.count < prefixLimit,
                identifiesReport(text, isQuoted: prefix.contains(.quote))
                    || objects.beginReport(at: line, after: Array(prefix), in: lines)
            {
                return Array(prefix)
            }
        }
        return nil
    }

    /// Returns the indentation of a thread's heading in a call tree, or `nil` if the line is not a
    /// heading.
    private static func headingIndentation(of text: ArraySlice<UInt8>) -> Int? {
        if SpindumpExcerpt.isHeading(text) { return SpindumpExcerpt.headingIndentation }
        return SampleExcerpt.isHeading(text) ? SampleExcerpt.headingIndentation : nil
    }

    private static func isNode(_ text: ArraySlice<UInt8>) -> Bool {
        SpindumpExcerpt.isNode(text) || SampleExcerpt.isIdentified(by: text)
    }

    /// Returns the prefix of a node without the spaces at its end, which are its depth in the tree.
    /// One space belongs to a `>`.
    private static func prefixOfNode(_ prefix: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = prefix.lastIndex(where: { $0 != .space }) else { return [] }
        return prefix[...last] + prefix[(last + 1)...].prefix(prefix[last] == .quote ? 1 : 0)
    }

    /// Whether a line identifies a report. Indented frame lines do not count, because frames are
    /// read with their indentation.
    private static func identifiesReport(_ line: ArraySlice<UInt8>, isQuoted: Bool) -> Bool {
        if line.first == UInt8(ascii: "{") {
            return line.contains(subsequence: Array("\"bug_type\"".utf8))
        }
        return CrashFileReader.textFormats.contains {
            $0.isIdentified(by: line) && (isQuoted || !BufferedFormat.isRow($0))
        }
    }

    /// Returns the length of the prefix in a line. In an empty line, the prefix lacks its trailing
    /// blanks.
    fileprivate static func length(of prefix: [UInt8], in line: ArraySlice<UInt8>) -> Int {
        if line.starts(with: prefix) { return prefix.count }
        let isBlank = line.allSatisfy { $0.isQuotePrefix || $0 == .carriageReturn }
        return isBlank ? zip(prefix, line).prefix { $0 == $1 }.count : 0
    }
}

/// Finds reports in JSON in quoted lines. They may be of any kind, so their lines are read.
private struct QuotedObjects {
    /// The number of objects that may still be read. Each is read to its end.
    private var rest = 16

    /// Whether a report in JSON begins at a line, after a prefix.
    mutating func beginReport(at line: Int, after prefix: [UInt8], in lines: TextLines) -> Bool {
        guard rest > 0, lines.content(line).dropFirst(prefix.count).first == UInt8(ascii: "{")
        else { return false }
        rest -= 1
        var text: [UInt8] = []
        for number in line..<lines.indices.upperBound {
            let content = lines.content(number)
            let length = QuotedReport.length(of: prefix, in: content)
            // The report ends before the first line without the prefix.
            guard length > 0 else { break }
            text += content.dropFirst(length)
            text.append(.newline)
        }
        guard BufferedDocument.mayBelongToReport(text[...]) else { return false }
        var reader = JSONReader(text)
        return JSONDocument(readingFrom: &reader).root.map(DocumentDetection.isReport) ?? false
    }
}

extension QuotedReport: EmbeddedTextSource {
    var stringStarts: [Int]? { nil }

    func fileEdits(_ edits: [Edit]) -> [Edit] { edits.map(prefixed) }
}

/// Writes functions into a quoted report.
struct QuotedReportRewriter: ReportRewriter {
    let text: QuotedReport
    let report: any ReportRewriter

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        text.fileEdits(report.edits(with: results, budget: &budget))
    }
}
