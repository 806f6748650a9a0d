public import ReportFormats

extension CrashFile {
    /// A report of the file, or lines between reports.
    public enum Segment: Sendable {
        /// A report, by its index in ``reports``.
        case report(Int)
        /// Lines outside of reports, as a range of bytes in the file.
        case lines(Range<Int>)
    }

    /// Splits the file into reports and the log lines around them, in order, in the same way as a
    /// stream on standard input. Text between the parts of a document is dropped.
    ///
    /// - Parameter bytes: The file.
    public func segments(of bytes: [UInt8]) -> [Segment] {
        if reports.isEmpty { return bytes.isEmpty ? [] : [.lines(0..<bytes.count)] }
        if reports.allSatisfy(\.format.occursInLogs) {
            return segments(ofLog: bytes, in: bytes.indices, reports: reports.indices)
        }
        // The lines of an envelope or a file of several values belong to its reports.
        if reports.contains(where: \.format.isJSON), DocumentDetection.begins(bytes) {
            return reports.indices.map(Segment.report)
        }
        return segments(ofStream: bytes)
    }

    /// Returns the segments of a stream with these bytes.
    private func segments(ofStream bytes: [UInt8]) -> [Segment] {
        var segments: [Segment] = []
        var rest = reports.indices
        var end = 0
        for piece in ReportStream.pieces(of: bytes) {
            let isLast = piece.upperBound == bytes.count
            let inside = rest.prefix { isLast || reports[$0].range.lowerBound < piece.upperBound }
            rest = rest.dropFirst(inside.count)
            if inside.isEmpty || reports[inside].allSatisfy(\.format.occursInLogs) {
                let start = min(max(piece.lowerBound, end), piece.upperBound)
                segments += self.segments(
                    ofLog: bytes, in: start..<piece.upperBound, reports: inside)
                end = inside.last.map { reports[$0].range.upperBound } ?? end
            } else {
                segments += inside.map(Segment.report)
            }
        }
        return segments
    }

    private func segments(
        ofLog bytes: [UInt8], in range: Range<Int>, reports numbers: Range<Int>
    ) -> [Segment] {
        var segments: [Segment] = []
        var end = range.lowerBound
        for number in numbers {
            let report = reports[number].range
            let start = min(report.lowerBound, range.upperBound)
            if start > end { segments.append(.lines(end..<start)) }
            segments.append(.report(number))
            end = max(end, bytes.endOfLine(from: min(report.upperBound, bytes.count)))
        }
        if end < range.upperBound { segments.append(.lines(end..<range.upperBound)) }
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
