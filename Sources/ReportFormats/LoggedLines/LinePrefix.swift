/// The text that a log writes before each line of one process, such as a container's name and a
/// timestamp. Its numbers may differ from line to line.
package struct LinePrefix: Hashable, Sendable {
    /// The maximum length in bytes.
    static let lengthLimit = 512

    private let pattern: [UInt8]
    /// For each byte, whether it may be another digit, as in times and numbers, but not in names
    /// such as `web-1`.
    private let isVariable: [Bool]
    /// Whether it ends with Kubernetes' letter for partial and full lines.
    private let hasContinuationMark: Bool

    package static let none = Self([])

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

    /// A match of the prefix with the start of a line.
    struct Match {
        /// The length in bytes.
        var length: Int
        /// Whether the line continues in the next record.
        var isContinued: Bool
    }

    /// Returns the match, or `nil` if the line belongs to another process.
    func match(_ line: ArraySlice<UInt8>) -> Match? {
        var position = line.startIndex
        var next = 0
        var isContinued = false
        while next < pattern.count {
            guard position < line.endIndex else {
                // Logs often lose blanks at the end of a line.
                guard pattern[next...].allSatisfy(\.isBlank) else { return nil }
                break
            }
            if isVariable[next], line[position].isDigit {
                while next < pattern.count, pattern[next].isDigit { next += 1 }
                while position < line.endIndex, line[position].isDigit { position += 1 }
                continue
            }
            if pattern[next] != line[position] {
                guard hasContinuationMark, next == pattern.count - 2,
                    line[position] == UInt8(ascii: "P")
                else { return nil }
                isContinued = true
            }
            next += 1
            position += 1
        }
        return Match(length: position - line.startIndex, isContinued: isContinued)
    }
}
