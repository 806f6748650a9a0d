extension TextLines {
    /// Returns the first of the consecutive lines that end with the last one, and edits that remove
    /// the frame's earlier lines, so that unrelated lines between them stay.
    func gathered(_ numbers: [Int], at last: Int) -> (first: Int, removed: [Edit]) {
        var first = last
        var removed: [Edit] = []
        for number in numbers.dropLast().reversed() {
            if removed.isEmpty, number + 1 == first {
                first = number
            } else {
                let range = ranges[number]
                removed.append(
                    Edit(range.lowerBound..<range.upperBound + lineEnd(number).count, []))
            }
        }
        return (first, removed)
    }
}
