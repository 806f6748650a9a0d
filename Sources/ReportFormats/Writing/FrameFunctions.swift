import CallStacks

/// The functions found for each physical frame of a report.
package struct FrameFunctions {
    let diagnostic: SymbolicatedDiagnostic
    /// See ``RewritingOptions/annotations``.
    let annotates: Bool
    private let ranges: [Range<Int>]

    /// - Complexity: O(*n*) in the number of frames.
    init(_ diagnostic: SymbolicatedDiagnostic, annotates: Bool) {
        self.diagnostic = diagnostic
        self.annotates = annotates
        var ranges: [Range<Int>] = []
        for (index, row) in diagnostic.frames.enumerated() {
            while ranges.count <= row.physical { ranges.append(index..<index) }
            ranges[row.physical] = ranges[row.physical].lowerBound..<index + 1
        }
        self.ranges = ranges
    }

    /// Returns the functions found for a physical frame, innermost first; empty if there are none,
    /// or if the name in the report is kept.
    func functions(at physical: Int) -> [SymbolicatedFrame] {
        guard ranges.indices.contains(physical) else { return [] }
        let rows = diagnostic.frames[ranges[physical]]
        guard rows.contains(where: \.status.isResolved),
            !rows.contains(where: { $0.remarks.contains(.nameGiven) })
        else { return [] }
        return diagnostic.form == .sampled ? rows.reversed() : Array(rows)
    }
}
