// Texts hashed, compared and ordered eight bytes at a time.

extension Span<UInt8> {
    /// The eight bytes from `place` on, all of which must be there.
    @inline(__always)
    func word(at place: Int) -> UInt64 {
        let bytes = unsafe bytes
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
    }

    /// The last eight bytes, or all if there are fewer.
    @inline(__always)
    var lastWord: UInt64 { count >= 8 ? word(at: count &- 8) : shortWord(at: 0) }

    /// The eight bytes from `place` on as a number, the first one most significant, with zeros for
    /// those behind the end.
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

    /// How many bytes both have in common from their start.
    ///
    /// - Parameter known: So many they have at least.
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

    /// Whether this stands before `other` by its bytes.
    ///
    /// - Parameter known: How many bytes both begin with.
    func precedes(_ other: Span<UInt8>, from known: Int) -> Bool {
        let shared = sharedCount(other, from: known)
        if shared == other.count { return false }
        return shared == count || self[shared] < other[shared]
    }

    /// Whether both have the same bytes; they must have the same count.
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
