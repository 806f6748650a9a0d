extension Range<ImageOffset> {
    /// Returns the positions of the offsets in the range.
    ///
    /// - Parameter offsets: In ascending order.
    package func positions(in offsets: [ImageOffset]) -> Range<Int> {
        offsets.partitioningIndex(from: lowerBound)..<offsets.partitioningIndex(from: upperBound)
    }
}
