/// Operations on a substring's UTF-8 bytes that access its memory directly, because they run for
/// every name.
extension Substring {
    /// Returns the bytes without the first `count`.
    func bytes(from count: Int) -> [UInt8] {
        unsafe utf8.withContiguousStorageIfAvailable { unsafe Array($0.dropFirst(count)) }
            ?? Array(utf8.dropFirst(count))
    }

    /// Whether `byte` is among the bytes.
    func contains(_ byte: UInt8) -> Bool {
        unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.contains(byte) }
            ?? utf8.contains(byte)
    }
}
