/// Names of members to look up together, without creating a string for each member. A member is
/// compared only with the names of its length.
public struct JSONKeyList: Sendable {
    /// All names concatenated, with the start and length of each.
    private let bytes: [UInt8]
    private let starts: [Int]
    private let counts: [Int]

    public init(_ names: [String]) {
        bytes = names.flatMap(\.utf8)
        counts = names.map(\.utf8.count)
        starts = counts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    }

    /// Returns the position of the name in `range` of a text, or `nil` if it is not in the list.
    func position(of range: Range<Int>, in text: [UInt8]) -> Int? {
        for position in counts.indices where counts[position] == range.count {
            if text.matches(bytes, at: starts[position], in: range) { return position }
        }
        return nil
    }
}
