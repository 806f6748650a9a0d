public import ReportFormats

extension CrashFile {
    /// A report of the file, or lines between reports.
    public enum Segment: Sendable {
        /// A report, by its index in ``reports``.
        case report(Int)
        /// Lines outside of reports, as a range of bytes in the file.
        case lines(Range<Int>)
    }

    /// Splits the file into reports and the log lines around them, in order. Text between the parts
    /// of a document is dropped.
    ///
    /// - Parameter bytes: The file.
    public func segments(of bytes: [UInt8]) -> [Segment] {
        if reports.isEmpty { return bytes.isEmpty ? [] : [.lines(0..<bytes.count)] }
        guard reports.allSatisfy(\.format.occursInLogs) else {
            return reports.indices.map(Segment.report)
        }
        var segments: [Segment] = []
        var end = 0
        for (number, report) in reports.enumerated() {
            let start = min(report.range.lowerBound, bytes.count)
            if start > end { segments.append(.lines(end..<start)) }
            segments.append(.report(number))
            end = max(end, bytes.endOfLine(from: min(report.range.upperBound, bytes.count)))
        }
        if end < bytes.count { segments.append(.lines(end..<bytes.count)) }
        return segments
    }
}

extension [UInt8] {
    /// Returns the end of the line break after a line's end, or `position` at the start of a line.
    fileprivate func endOfLine(from position: Int) -> Int {
        guard position > 0, self[position - 1] != .newline else { return position }
        let rest = self[position...]
        if rest.first == .newline { return position + 1 }
        return rest.starts(with: [.carriageReturn, .newline]) ? position + 2 : position
    }
}
