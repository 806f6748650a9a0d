public import CallStacks

extension SymbolIndex {
    /// Whether an offset is past the end of the image's text. If its size is unknown, the limit is
    /// ``codeLimit``, unless the index has no code, as that of a stripped image.
    public func isPastText(_ offset: ImageOffset) -> Bool {
        let size = header.image.textSize
        if size > 0 { return offset >= ImageOffset(size) }
        return header.shape.counts.buckets > 1 && offset >= codeLimit
    }

    /// An offset after all code in the index. It exceeds the end of the code by less than a bucket,
    /// whose size is at least 1 KiB.
    public var codeLimit: ImageOffset {
        ImageOffset(
            UInt64(max(0, header.shape.counts.buckets - 1)) << UInt64(header.shape.bucketShift))
    }
}
