/// A coarse table of contents: the block at which a lookup begins, for each bucket of code.
struct BucketTable {
    /// A bucket covers 2^shift bytes.
    private(set) var shift = IndexLayout.smallestBucketShift
    private(set) var firstBlocks: [UInt32] = []

    /// - Parameters:
    ///   - blockStarts: The starts of the blocks, in ascending order.
    ///   - lastStart: The start of the last entry.
    init(blockStarts: [UInt64], lastStart: UInt64) {
        guard !blockStarts.isEmpty else {
            firstBlocks = [0]
            return
        }
        let limit = UInt64(blockStarts.count * 2 + 16)
        while (lastStart >> UInt64(shift)) + 2 > limit { shift += 1 }
        var block = 0
        for bucket in 0...(lastStart >> UInt64(shift)) {
            while block < blockStarts.count, blockStarts[block] < bucket << UInt64(shift) {
                block += 1
            }
            firstBlocks.append(UInt32(block))
        }
        firstBlocks.append(UInt32(blockStarts.count))
    }
}
