// Hashing, comparing and ordering byte strings, eight bytes at a time.

extension Span<UInt8> {
    /// Returns the eight bytes at `place`, which must all exist.
    @inline(__always)
    func word(at place: Int) -> UInt64 {
        let bytes = unsafe bytes
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
    }

    /// The last eight bytes, or all if there are fewer.
    @inline(__always)
    var lastWord: UInt64 { count >= 8 ? word(at: count &- 8) : shortWord(at: 0) }

    /// Returns the eight bytes at `place` as a big-endian number, with zeros after the end.
    @inline(__always)
    func bigEndianWord(at place: Int) -> UInt64 {
        count &- place >= 8 ? word(at: place).byteSwapped : shortWord(at: place)
    }

    private func shortWord(at place: Int) -> UInt64 {
        var word: UInt64 = 0
        var shift: UInt64 = 56
        for index in place..<count {
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
        var place = known
        while place < limit {
            let difference = bigEndianWord(at: place) ^ other.bigEndianWord(at: place)
            if difference != 0 {
                return Swift.min(limit, place + difference.leadingZeroBitCount / 8)
            }
            place += 8
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
        var place = 0
        while count &- place > 8 {
            if word(at: place) != other.word(at: place) { return false }
            place &+= 8
        }
        return lastWord == other.lastWord
    }
}
