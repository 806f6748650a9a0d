import CallStacks

/// The child frames of each frame of a stack. A frame whose parent is not in the same stack is a
/// root.
struct ChildFrames {
    /// Frames without a parent, in the order received.
    private(set) var roots: [Int] = []
    /// The children of all frames, grouped by parent, in the order received.
    private var children: [Int]
    /// The start of each frame's children, and the end of the last one's.
    private var starts: [Int]
    private let first: Int

    init(_ frames: [SymbolicatedFrame], of rows: Range<Int>) {
        let first = rows.lowerBound
        self.first = first
        starts = Array(repeating: 0, count: rows.count + 1)
        func parent(of row: Int) -> Int? {
            frames[row].parent.flatMap { (first..<row).contains($0) ? $0 : nil }
        }
        for row in rows {
            if let parent = parent(of: row) { starts[parent - first + 1] += 1 }
        }
        for position in starts.indices.dropFirst() { starts[position] += starts[position - 1] }
        children = Array(repeating: 0, count: starts[rows.count])
        var next = starts
        for row in rows {
            guard let parent = parent(of: row) else {
                roots.append(row)
                continue
            }
            children[next[parent - first]] = row
            next[parent - first] += 1
        }
    }

    /// Returns the children of a frame, in the order received.
    func callAsFunction(of row: Int) -> ArraySlice<Int> {
        children[starts[row - first]..<starts[row - first + 1]]
    }
}
