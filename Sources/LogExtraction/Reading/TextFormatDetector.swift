import ReportFormats

/// Searches a text for lines that identify its format.
struct TextFormatDetector {
    /// The format that the lines identify.
    private(set) var format: (any TextReportFormat.Type)?
    /// The format of call trees without a beginning, if lines before the best one identify it.
    private(set) var excerpt: (any TextReportFormat.Type)?
    /// The first line that resembles the start of an `.ips` report.
    private(set) var embeddedReport: Int?

    init(in lines: TextLines) {
        let formats = CrashFileReader.textFormats
        var best = formats.count
        for line in lines.indices {
            let content = lines.content(line)
            if content.isEmpty { continue }
            if let rank = formats[..<best].firstIndex(where: { $0.isIdentified(by: content) }) {
                if let format, BufferedFormat.isExcerpt(format) { excerpt = format }
                best = rank
                format = formats[rank]
                if best == 0 { break }
            }
            if embeddedReport == nil, Self.startsReport(content) { embeddedReport = line }
        }
    }

    private static func startsReport(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first == UInt8(ascii: "{") else { return false }
        return line.count == 1 || line.contains(subsequence: Array("\"bug_type\"".utf8))
    }
}

extension TextLines {
    /// Returns the range of an `.ips` report in JSON that begins with a line and continues to the
    /// end.
    func rangeOfJSON(from line: Int) -> Range<Int>? {
        guard line > 0, line + 1 < ranges.count, content(line + 1).first == UInt8(ascii: "{")
        else { return nil }
        return ranges[line].lowerBound..<(ranges.last?.upperBound ?? 0)
    }

    /// Whether the last lines announce the same report again. On a Mac, a report is a translation
    /// into text, followed by the full report.
    var announcesFullReport: Bool {
        indices.suffix(4).contains { content($0).elementsEqual("Full Report".utf8) }
    }
}
