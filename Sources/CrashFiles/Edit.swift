/// A change of a text: what stands in a range gives way to other bytes.
public struct Edit: Hashable, Sendable {
    /// In bytes from the start of the text; empty where something is inserted.
    public var range: Range<Int>
    public var bytes: [UInt8]

    public init(_ range: Range<Int>, _ bytes: [UInt8]) {
        self.range = range
        self.bytes = bytes
    }

    public init(_ range: Range<Int>, _ text: String) { self.init(range, Array(text.utf8)) }

    /// The same change of a text in which everything stands `distance` bytes further on.
    func moved(by distance: Int) -> Self {
        Self(range.lowerBound + distance..<range.upperBound + distance, bytes)
    }
}

extension [Edit] {
    /// The text with all changes made, everything else as it was.
    ///
    /// Changes at one place are made in the order in which they stand here. One that reaches into
    /// the range of another before it, or past the end, is left out.
    public func applied(to text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + reduce(0) { $0 + $1.bytes.count })
        var end = 0
        for edit in inOrder(before: text.count) {
            result += text[end..<edit.range.lowerBound]
            result += edit.bytes
            end = edit.range.upperBound
        }
        result += text[end...]
        return result
    }

    /// The changes that are made, in the order of their places.
    ///
    /// - Parameter limit: Where the text ends.
    func inOrder(before limit: Int) -> [Edit] {
        let ordered = enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        var end = 0
        return ordered.compactMap { _, edit in
            guard edit.range.lowerBound >= end, edit.range.upperBound <= limit else { return nil }
            end = edit.range.upperBound
            return edit
        }
    }
}
