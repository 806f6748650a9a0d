public import CallStacks

extension SymbolIndex {
    /// Whether the index has any code. That of a stripped image may have none.
    public var hasCode: Bool { header.shape.counts.buckets > 1 }

    /// An offset after all code in the index. It exceeds the end of the code by less than a bucket,
    /// whose size is at least 1 KiB.
    public var codeLimit: ImageOffset {
        ImageOffset(
            UInt64(max(0, header.shape.counts.buckets - 1)) << UInt64(header.shape.bucketShift))
    }
}
