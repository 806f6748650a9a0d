/// What a log writes in front of each line of one process: a container's name, a time stamp. The
/// numbers in it may be others on every line.
struct LinePrefix: Hashable, Sendable {
    /// A longer one is none.
    static let lengthLimit = 512

    private let pattern: [UInt8]
    /// Which digits may be others: those of times and numbers, and not those of names such as
    /// `web-1`.
    private let isVariable: [Bool]
    /// Whether it ends as Kubernetes writes it, with a letter that tells whether the line goes on in
    /// the next record.
    private let hasContinuationMark: Bool

    static let none = Self([])

    init(_ prefix: some Collection<UInt8>) {
        var pattern = Array(prefix)
        hasContinuationMark = ["stderr", "stdout"].contains { stream in
            ["P", "F"].contains { pattern.suffix(10).elementsEqual(" \(stream) \($0) ".utf8) }
        }
        if hasContinuationMark { pattern[pattern.count - 2] = UInt8(ascii: "F") }
        self.pattern = pattern
        isVariable = pattern.split(omittingEmptySubsequences: false, whereSeparator: \.isBlank)
            .flatMap { word in
                let isName = Self.isName(TerminalText.shown(Array(word)))
                return word.map { $0.isDigit && !isName } + [false]
            }
    }

    private static func isName(_ word: [UInt8]) -> Bool {
        let first = word.first { $0.isDigit || $0.isLetter }
        return first?.isLetter == true && !word.contains(UInt8(ascii: ":"))
            && !word.contains(UInt8(ascii: "="))
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
            if isVariable[next], line[place].isDigit {
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
