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
    /// - Parameter bytes: The file.
    public func pieces(of bytes: [UInt8]) -> [Piece] {
        if reports.isEmpty { return bytes.isEmpty ? [] : [.lines(0..<bytes.count)] }
        guard reports.allSatisfy(\.format.standsInLogs) else {
            return reports.indices.map(Piece.report)
        }
        var pieces: [Piece] = []
        var end = 0
        for (number, report) in reports.enumerated() {
            let start = min(report.range.lowerBound, bytes.count)
            if start > end { pieces.append(.lines(end..<start)) }
            pieces.append(.report(number))
            end = max(end, bytes.endOfLine(from: min(report.range.upperBound, bytes.count)))
        }
        if end < bytes.count { pieces.append(.lines(end..<bytes.count)) }
        return pieces
    }
}

extension [UInt8] {
    /// Behind the line break of a line that ends at a place; the place itself where a line begins.
    fileprivate func endOfLine(from place: Int) -> Int {
        guard place > 0, self[place - 1] != .newline else { return place }
        let rest = self[place...]
        if rest.first == .newline { return place + 1 }
        return rest.starts(with: [.carriageReturn, .newline]) ? place + 2 : place
    }
}
