public import CallStacks

extension SymbolIndex {
    /// An offset after all code in the index, by less than a bucket, which is 1 KiB or more.
    public var codeLimit: ImageOffset {
        ImageOffset(
            UInt64(max(0, header.shape.counts.buckets - 1)) << UInt64(header.shape.bucketShift))
    }
}
