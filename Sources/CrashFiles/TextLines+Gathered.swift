extension TextLines {
    /// The first of the lines of one frame that follow one another up to its last one, and changes
    /// that remove those before, so that foreign lines between them stay.
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
