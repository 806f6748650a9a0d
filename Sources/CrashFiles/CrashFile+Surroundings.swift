extension CrashFile {
    /// The file as a sequence of reports and what stands between them.
    public enum Piece: Sendable {
        /// A report, by its number in ``reports``.
        case report(Int)
        /// Lines that belong to no report, in bytes of the file.
        case lines(Range<Int>)
    }

    /// The reports in the order of the file with the lines of a log around them. Where reports are
    /// parts of a document, what stands between them is no text of its own and is left out.
    ///
    /// - Parameter byteCount: The length of the file.
    public func pieces(byteCount: Int) -> [Piece] {
        if reports.isEmpty { return byteCount > 0 ? [.lines(0..<byteCount)] : [] }
        guard reports.allSatisfy(\.format.standsInLogs) else {
            return reports.indices.map(Piece.report)
        }
        var pieces: [Piece] = []
        var end = 0
        for (number, report) in reports.enumerated() {
            let start = min(report.range.lowerBound, byteCount)
            if start > end { pieces.append(.lines(end..<start)) }
            pieces.append(.report(number))
            end = max(end, min(report.range.upperBound, byteCount))
        }
        if end < byteCount { pieces.append(.lines(end..<byteCount)) }
        return pieces
    }
}
