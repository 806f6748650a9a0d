/// Looks through a text for lines that tell its format.
struct TextAnchors {
    /// The format that the lines tell.
    private(set) var format: (any TextReportReading.Type)?
    /// The first line that looks like the start of an `.ips` report.
    private(set) var embeddedReport: Int?

    init(in lines: TextLines) {
        let formats = CrashFileReader.textFormats
        var best = formats.count
        for line in lines.indices {
            let content = lines.content(line)
            if content.isEmpty { continue }
            if let rank = formats[..<best].firstIndex(where: { $0.isAnchor(content) }) {
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
    /// Where an `.ips` report in JSON stands that begins with a line and goes on to the end.
    func rangeOfJSON(from line: Int) -> Range<Int>? {
        guard line > 0, line + 1 < ranges.count, content(line + 1).first == UInt8(ascii: "{")
        else { return nil }
        return ranges[line].lowerBound..<(ranges.last?.upperBound ?? 0)
    }

    /// Whether the last lines tell that the same report follows once more. On a Mac a report is its
    /// translation into text, and then all of it.
    var announcesFullReport: Bool {
        indices.suffix(4).contains { content($0).elementsEqual("Full Report".utf8) }
    }
}

extension ArraySlice<UInt8> {
    func contains(subsequence text: [UInt8]) -> Bool {
        guard let first = text.first else { return true }
        var rest = self
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
