// Reused arrays: they only grow, and the number of valid elements is stored separately.

extension Array {
    /// Makes room for `count` elements that will be overwritten.
    mutating func reach(_ count: Int, filler: Element) {
        guard self.count < count else { return }
        self = Array(repeating: filler, count: Swift.max(count, self.count * 2))
    }

    /// Overwrites the first `count` elements.
    mutating func fill(with element: Element, count: Int) {
        var span = mutableSpan
        for index in 0..<count { span[index] = element }
    }
}
