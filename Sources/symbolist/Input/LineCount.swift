/// Counts the lines before positions of a text, which mostly ascend.
struct LineCount {
    private let text: [UInt8]?
    private var position = 0
    private var line = 1

    init(_ text: [UInt8]?) { self.text = text }

    /// Returns the number of a line from 1, or `nil` without a text or outside of it.
    mutating func line(at target: Int) -> Int? {
        guard let text, target <= text.count else { return nil }
        if target < position { (position, line) = (0, 1) }
        for byte in text[position..<target] where byte == UInt8(ascii: "\n") { line += 1 }
        position = target
        return line
    }
}
