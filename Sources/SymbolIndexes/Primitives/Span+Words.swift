// Hashing, comparing and ordering byte strings, eight bytes at a time.

extension Span<UInt8> {
    /// Returns the eight bytes at `position`, which must all exist.
    @inline(__always)
    func word(at position: Int) -> UInt64 {
        let bytes = unsafe bytes
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
    }

    /// The last eight bytes, or all if there are fewer.
    @inline(__always)
    var lastWord: UInt64 { count >= 8 ? word(at: count &- 8) : shortWord(at: 0) }

    /// Returns the eight bytes at `position` as a big-endian number, with zeros after the end.
    @inline(__always)
    func bigEndianWord(at position: Int) -> UInt64 {
        count &- position >= 8 ? word(at: position).byteSwapped : shortWord(at: position)
    }

    private func shortWord(at position: Int) -> UInt64 {
        var word: UInt64 = 0
        var shift: UInt64 = 56
        for index in position..<count {
            word |= UInt64(self[index]) << shift
            shift &-= 8
        }
        return word
    }

    /// Returns the length of the common prefix.
    ///
    /// - Parameter known: The length of a known common prefix.
    func sharedCount(_ other: Span<UInt8>, from known: Int = 0) -> Int {
        let limit = Swift.min(count, other.count)
        var position = known
        while position < limit {
            let difference = bigEndianWord(at: position) ^ other.bigEndianWord(at: position)
            if difference != 0 {
                return Swift.min(limit, position + difference.leadingZeroBitCount / 8)
            }
            position += 8
        }
        return limit
    }

    /// Whether this precedes `other` in byte order.
    ///
    /// - Parameter known: The length of a known common prefix.
    func precedes(_ other: Span<UInt8>, from known: Int) -> Bool {
        let shared = sharedCount(other, from: known)
        if shared == other.count { return false }
        return shared == count || self[shared] < other[shared]
    }

    /// Whether both have the same bytes. Their counts must be equal.
    @inline(__always)
    func hasBytes(of other: Span<UInt8>) -> Bool {
        var position = 0
        while count &- position > 8 {
            if word(at: position) != other.word(at: position) { return false }
            position &+= 8
        }
        return lastWord == other.lastWord
    }
}
