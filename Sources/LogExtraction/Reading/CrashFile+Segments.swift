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
    /// Returns the end of the line break after a line's end, or `place` at the start of a line.
    fileprivate func endOfLine(from place: Int) -> Int {
        guard place > 0, self[place - 1] != .newline else { return place }
        let rest = self[place...]
        if rest.first == .newline { return place + 1 }
        return rest.starts(with: [.carriageReturn, .newline]) ? place + 2 : place
    }
}
