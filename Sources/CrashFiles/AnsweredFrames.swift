import CallStacks

/// The rows of an answer by the physical frames of the report.
struct AnsweredFrames {
    let diagnostic: SymbolicatedDiagnostic
    /// As ``WritingOptions/annotations``.
    let annotates: Bool
    private let ranges: [Range<Int>]

    /// - Complexity: O(*n*) in the number of rows.
    init(_ diagnostic: SymbolicatedDiagnostic, annotates: Bool = false) {
        self.diagnostic = diagnostic
        self.annotates = annotates
        var ranges: [Range<Int>] = []
        for (index, row) in diagnostic.frames.enumerated() {
            while ranges.count <= row.physical { ranges.append(index..<index) }
            ranges[row.physical] = ranges[row.physical].lowerBound..<index + 1
        }
        self.ranges = ranges
    }

    /// What was found for a physical frame of the report, innermost first; empty where nothing
    /// better was found than what the report has.
    func functions(at physical: Int) -> [SymbolicatedFrame] {
        guard ranges.indices.contains(physical) else { return [] }
        let rows = diagnostic.frames[ranges[physical]]
        guard rows.contains(where: \.status.isResolved),
            !rows.contains(where: { $0.remarks.contains(.nameGiven) })
        else { return [] }
        return diagnostic.form == .sampled ? rows.reversed() : Array(rows)
    }
}
