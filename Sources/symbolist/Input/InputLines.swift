/// The lines of standard input, each as soon as it arrives.
struct InputLines {
    /// The maximum length of a line, in bytes. Longer lines are truncated.
    private static let lengthLimit = 4_096
    private var chunk: [UInt8] = []
    private var position = 0
    private var number = 0

    /// A line without its line ending.
    struct Line {
        var bytes: ArraySlice<UInt8>
        /// The line's number, starting at 1.
        var number: Int
        /// Whether the line was longer than the limit, so that its last word may be incomplete.
        var isTruncated: Bool
    }

    /// Returns the next line, or `nil` at the end of input.
    ///
    /// - Parameter beforeWaiting: Called before the process waits for input, so that the results
    ///   for all previous lines can be written first.
    mutating func next(beforeWaiting: () -> Void) -> Line? {
        var line: ArraySlice<UInt8>?
        var isTruncated = false
        while true {
            if position == chunk.count {
                beforeWaiting()
                chunk = InputBytes.available()
                position = 0
                if chunk.isEmpty { break }
            }
            let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n"))
            let piece = chunk[position..<(end ?? chunk.count)]
            position = end.map { $0 + 1 } ?? chunk.count
            let room = Self.lengthLimit - (line?.count ?? 0)
            if piece.count > room { isTruncated = true }
            line = line.map { $0 + piece.prefix(room) } ?? piece.prefix(room)
            if end != nil { break }
        }
        guard let line else { return nil }
        number += 1
        return Line(bytes: line, number: number, isTruncated: isTruncated)
    }

    /// Returns the next line and all complete lines after it that have already arrived, or an empty
    /// array at the end of input.
    mutating func arrived(beforeWaiting: () -> Void) -> [Line] {
        guard let first = next(beforeWaiting: beforeWaiting) else { return [] }
        var lines = [first]
        while chunk[position...].contains(UInt8(ascii: "\n")), let line = next(beforeWaiting: {}) {
            lines.append(line)
        }
        return lines
    }
}
