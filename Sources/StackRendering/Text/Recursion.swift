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
            while end < rows.endIndex, frames.repeats(rows[end - length], at: rows[end]) {
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

extension [SymbolicatedFrame] {
    /// Whether the frame at a position is the same call as another frame.
    ///
    /// Compares the frames in place, because copying a frame is more expensive.
    fileprivate func repeats(_ other: Int, at row: Int) -> Bool {
        self[row].line == self[other].line && self[row].offset == self[other].offset
            && self[row].column == self[other].column && self[row].address == self[other].address
            && self[row].isInlined == self[other].isInlined && self[row].parent != nil
            && self[row].status == self[other].status && self[row].image == self[other].image
            && self[row].function == self[other].function && self[row].file == self[other].file
    }
}

/// `9,980`
package func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return String(digits)
}
