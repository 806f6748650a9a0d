import CallStacks

/// The rows of an answer by the physical frames of the report.
struct AnsweredFrames {
    let diagnostic: SymbolicatedDiagnostic
    private let ranges: [Range<Int>]

    private let bytesLimit: Int
    /// As ``WritingOptions/annotations``.
    let annotates: Bool

    /// - Parameter bytesLimit: How many bytes may be written besides as much as the file has.
    /// - Complexity: O(*n*) in the number of rows.
    init(
        _ diagnostic: SymbolicatedDiagnostic, annotates: Bool = false,
        bytesLimit: Int = EditBudget.bytesLimit
    ) {
        self.diagnostic = diagnostic
        self.annotates = annotates
        self.bytesLimit = bytesLimit
        var ranges: [Range<Int>] = []
        for (index, row) in diagnostic.frames.enumerated() {
            while ranges.count <= row.physical { ranges.append(index..<index) }
            ranges[row.physical] = ranges[row.physical].lowerBound..<index + 1
        }
        self.ranges = ranges
    }

    /// How much may be written into a file.
    func budget(for file: [UInt8]) -> EditBudget { EditBudget(bytes: file.count + bytesLimit) }

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
