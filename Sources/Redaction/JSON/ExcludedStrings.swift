/// Strings of a JSON document that are redacted separately.
struct ExcludedStrings {
    /// The starts of their contents, ascending.
    private var starts: [Int] = []

    init(startingAt starts: [Int] = []) { self.starts = starts.sorted() }

    var isEmpty: Bool { starts.isEmpty }

    func contains(_ start: Int) -> Bool { hasStart(in: start..<start + 1) }

    /// Whether one of the strings starts in a range.
    func hasStart(in range: Range<Int>) -> Bool {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < starts.count && starts[low] < range.upperBound
    }
}
