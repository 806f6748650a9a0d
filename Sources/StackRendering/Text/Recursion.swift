package import CallStacks

/// A cycle of frames that a stack repeats, as endless recursion does.
package struct Recursion: Equatable {
    package var length: Int
    /// The number of consecutive repetitions.
    package var count: Int

    /// The maximum length of a cycle. Mutual recursion of more functions is rare.
    static let lengthLimit = 16
    /// The minimum numbers of repetitions and of repeated frames to fold a recursion.
    static let fewestCount = 3
    static let fewestRows = 12

    /// Finds the cycle that starts at the first frame; `nil` if there is none worth folding.
    package init?(in rows: ArraySlice<Int>, of frames: [SymbolicatedFrame]) {
        for length in 1...Self.lengthLimit {
            var end = rows.startIndex + length
            while end < rows.endIndex, frames[rows[end]].repeats(frames[rows[end - length]]) {
                end += 1
            }
            let count = (end - rows.startIndex) / length
            if count >= Self.fewestCount, (count - 1) * length >= Self.fewestRows {
                self.length = length
                self.count = count
                return
            }
        }
        return nil
    }
}

extension SymbolicatedFrame {
    /// Whether the frame is the same call as another frame.
    fileprivate func repeats(_ other: Self) -> Bool {
        line == other.line && column == other.column && offset == other.offset
            && address == other.address && isInlined == other.isInlined
            && parent != nil && status == other.status
            && image == other.image && function == other.function && file == other.file
    }
}

/// `9,980`
package func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return String(digits)
}
