extension Array where Element: Comparable {
    /// Returns the position of the first element of an ascending array that is not below `value`.
    func partitioningIndex(from value: Element) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
