extension Array {
    /// How many of the first elements something holds of that holds of none behind them.
    ///
    /// - Complexity: O(log *n*).
    func orderedPrefixCount(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
