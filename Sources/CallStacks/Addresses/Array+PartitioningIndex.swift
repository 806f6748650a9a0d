extension Array {
    /// Returns the position of the first element that satisfies a condition, if all later elements
    /// satisfy it too.
    func partitioningIndex(where belongsToSecond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsToSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Array where Element: Comparable {
    /// Returns the position of the first element of an ascending array that is not below `value`.
    func partitioningIndex(from value: Element) -> Int { partitioningIndex { $0 >= value } }
}
