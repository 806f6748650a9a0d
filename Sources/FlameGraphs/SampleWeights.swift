import CallStacks

/// The weights of a sampled stack's frames.
///
/// A frame without a sample count has the weight of its callees, or 1 if it has none.
struct SampleWeights {
    private let first: Int
    private var weights: [UInt64]
    private var parents: [Int?]

    init(_ frames: [SymbolicatedFrame], rows: Range<Int>) {
        first = rows.lowerBound
        parents = rows.map { row in
            frames[row].parent.flatMap { (rows.lowerBound..<row).contains($0) ? $0 : nil }
        }
        weights = Array(repeating: 0, count: rows.count)
        for row in rows.reversed() {
            let ofCallees = weights[row - first]
            let weight = frames[row].samples ?? max(ofCallees, 1)
            weights[row - first] = weight
            guard let parent = parents[row - first], frames[parent].samples == nil else { continue }
            weights[parent - first].add(weight)
        }
    }

    subscript(row: Int) -> UInt64 { weights[row - first] }

    /// Returns the caller of a row, or `nil` for a root. A parent that does not precede the row is
    /// ignored.
    func parent(of row: Int) -> Int? { parents[row - first] }
}
