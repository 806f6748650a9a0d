extension Array {
    /// Returns the number of leading elements that satisfy a predicate which no later one
    /// satisfies.
    ///
    /// - Complexity: O(log *n*).
    @inlinable package func orderedPrefixCount(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
