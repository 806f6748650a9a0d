extension TextLines {
    /// Returns the bytes from the first of some lines to the last, without its line end.
    func range(of lines: Range<Int>) -> Range<Int> {
        guard let first = lines.first, let last = lines.last else { return 0..<0 }
        return ranges[first].lowerBound..<ranges[last].upperBound
    }
}
