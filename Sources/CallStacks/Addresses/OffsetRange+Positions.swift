extension Range<ImageOffset> {
    /// Returns the positions of the offsets in the range.
    ///
    /// - Parameter offsets: In ascending order.
    package func positions(in offsets: [ImageOffset]) -> Range<Int> {
        var low = 0
        var high = offsets.count
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] < lowerBound { low = middle + 1 } else { high = middle }
        }
        var end = low
        while end < offsets.count, offsets[end] < upperBound { end += 1 }
        return low..<end
    }
}
