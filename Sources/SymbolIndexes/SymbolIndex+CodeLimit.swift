public import CallStacks

extension SymbolIndex {
    /// A place behind all code that the index knows, by less than a bucket, which is 1 KiB or more.
    public var codeLimit: ImageOffset {
        ImageOffset(
            UInt64(max(0, header.shape.counts.buckets - 1)) << UInt64(header.shape.bucketShift))
    }
}
