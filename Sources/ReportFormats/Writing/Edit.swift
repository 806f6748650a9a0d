/// A change to a text: a range is replaced with other bytes.
public struct Edit: Hashable, Sendable {
    /// The bytes to replace, from the start of the text; empty for an insertion.
    public var range: Range<Int>
    public var bytes: [UInt8]

    public init(_ range: Range<Int>, _ bytes: [UInt8]) {
        self.range = range
        self.bytes = bytes
    }

    public init(_ range: Range<Int>, _ text: String) { self.init(range, Array(text.utf8)) }

    /// Returns the same edit for a text in which everything is `distance` bytes later.
    package func moved(by distance: Int) -> Self {
        Self(range.lowerBound + distance..<range.upperBound + distance, bytes)
    }
}

extension [Edit] {
    /// Returns the text with all edits applied.
    ///
    /// Edits at the same position are applied in the order given. An edit that overlaps the one
    /// before it or reaches past the end is dropped.
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

    /// Returns the applicable edits, sorted by position.
    ///
    /// - Parameter limit: The end of the text.
    package func inOrder(before limit: Int) -> [Edit] {
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
