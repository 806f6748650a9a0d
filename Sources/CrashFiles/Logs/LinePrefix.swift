/// What a log writes in front of each line of one process: a container's name, a time stamp. The
/// numbers in it may be others on every line.
struct LinePrefix: Hashable, Sendable {
    /// A longer one is none.
    static let lengthLimit = 512

    private let pattern: [UInt8]
    /// Whether it ends as Kubernetes writes it, with a letter that tells whether the line goes on in
    /// the next record.
    private let hasContinuationMark: Bool

    static let none = Self([])

    init(_ pattern: some Collection<UInt8>) {
        self.pattern = Array(pattern)
        hasContinuationMark =
            self.pattern.suffix(10).elementsEqual(" stderr F ".utf8)
            || self.pattern.suffix(10).elementsEqual(" stdout F ".utf8)
    }

    /// How a line begins with the prefix.
    struct Match {
        /// In bytes.
        var length: Int
        /// Whether the line goes on in the next record.
        var isContinued: Bool
    }

    /// `nil` where a line begins otherwise: it belongs to somebody else.
    func match(_ line: ArraySlice<UInt8>) -> Match? {
        var place = line.startIndex
        var next = 0
        var isContinued = false
        while next < pattern.count {
            guard place < line.endIndex else {
                // Blanks at the end of a line are easily lost.
                guard pattern[next...].allSatisfy(\.isBlank) else { return nil }
                break
            }
            if pattern[next].isDigit, line[place].isDigit {
                while next < pattern.count, pattern[next].isDigit { next += 1 }
                while place < line.endIndex, line[place].isDigit { place += 1 }
                continue
            }
            if pattern[next] != line[place] {
                guard hasContinuationMark, next == pattern.count - 2,
                    line[place] == UInt8(ascii: "P")
                else { return nil }
                isContinued = true
            }
            next += 1
            place += 1
        }
        return Match(length: place - line.startIndex, isContinued: isContinued)
    }
}
