import JSONText
import ReportFormats

extension BufferedFormat {
    /// - Parameters:
    ///   - line: A line with its end.
    ///   - isFirst: Whether only blanks precede it.
    init?(startedBy line: ArraySlice<UInt8>, isFirst: Bool) {
        if isFirst, DocumentDetection.isBinary(line) {
            self = .binary
            return
        }
        let content = line.trimmedLine
        guard !content.isEmpty,
            let format = Self.json(startedBy: content, isFirst: isFirst)
                ?? Self.text(startedBy: content, of: line)
                ?? Self.open(startedBy: content, isFirst: isFirst)
                ?? Self.value(inside: content)
        else { return nil }
        self = format
    }

    private static func json(startedBy content: ArraySlice<UInt8>, isFirst: Bool) -> Self? {
        let mayBeJSON = content.first == UInt8(ascii: "{") || content.first == UInt8(ascii: "[")
        if mayBeJSON, let format = DocumentDetection.format(content, isFirst: isFirst) {
            return format
        }
        return isFirst && DocumentDetection.isQuotedDocument(content) ? .value : nil
    }

    /// Returns the format of a line that contains a report in JSON after other text.
    private static func value(inside content: ArraySlice<UInt8>) -> Self? {
        DocumentDetection.report(in: content)?.isWhole == true ? .value : nil
    }

    private static func text(startedBy content: ArraySlice<UInt8>, of line: ArraySlice<UInt8>)
        -> Self?
    {
        // A bracket may also begin the prefix of a log: `[error] …`.
        guard content.first != UInt8(ascii: "{"), let format = textFormat(content) else {
            return beginsTree(content) && line.first?.isQuotePrefix == true ? .text : nil
        }
        if format == LinuxStacks.self, let number = LinuxStacks.number(begunBy: content) {
            return .stacks(PrefixedNotation(number, after: line.droppingLineEnd))
        }
        return isRow(format) ? .rows : .text
    }

    /// Returns the format of lines that may precede a report.
    private static func open(startedBy content: ArraySlice<UInt8>, isFirst: Bool) -> Self? {
        if SwiftPreamble.isMessage(content) || UncaughtException.announcement(in: content) != nil
            || CrashlyticsText.isHeading(content)
        {
            return .preamble
        }
        return isFirst && isHeading(content) ? .heading : nil
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
}
