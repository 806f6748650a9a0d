/// Names of members that are asked for together: one look at a member's name tells which it is, and
/// no string is made of it.
public struct JSONNames: Sendable {
    /// All of them, one behind the other, where each begins, and how long it is.
    private let bytes: [UInt8]
    private let starts: [Int]
    private let counts: [Int]

    public init(_ names: [String]) {
        bytes = names.flatMap(\.utf8)
        counts = names.map(\.utf8.count)
        starts = counts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    }

    /// The position of the name that `range` of a text holds; `nil` where it is none of them.
    func position(of range: Range<Int>, in text: [UInt8]) -> Int? {
        for position in counts.indices where counts[position] == range.count {
            let start = starts[position]
            var step = 0
            while step < range.count, bytes[start + step] == text[range.lowerBound + step] {
                step += 1
            }
            if step == range.count { return position }
        }
        return nil
    }
}
