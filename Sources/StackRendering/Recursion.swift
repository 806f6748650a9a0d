import CallStacks

/// A cycle of rows that a stack repeats, as endless recursion does.
struct Recursion: Equatable {
    /// How many rows the cycle has.
    var length: Int
    /// How often they come, one after another.
    var count: Int

    /// The longest cycle that is looked for. Mutual recursion of more functions is rare.
    static let lengthLimit = 16
    /// Fewer repetitions are shown as they are, and so are those of few rows.
    static let fewestCount = 3
    static let fewestRows = 12

    /// The cycle that starts at a position; `nil` if there is none that is worth folding.
    init?(in rows: ArraySlice<Int>, of frames: [SymbolicatedFrame]) {
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
    /// Whether it is the same call as another row, made once more.
    fileprivate func repeats(_ other: Self) -> Bool {
        line == other.line && column == other.column && offset == other.offset
            && address == other.address && isInlined == other.isInlined
            && parent != nil && status == other.status
            && image == other.image && function == other.function && file == other.file
    }
}

/// `9,980`
func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
    return String(digits)
}
