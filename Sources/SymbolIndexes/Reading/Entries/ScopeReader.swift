/// Reads scope records, with the positions of their fields computed once.
struct ScopeReader: Sendable {
    private let distanceMask: UInt64
    private let name: BitField
    private let site: BitField
    private let lineShift: UInt64
    private let columnShift: UInt64
    private let fileMask: UInt64
    private let lineMask: UInt64
    private let columnMask: UInt64

    init(_ record: ScopeRecord) {
        distanceMask = Self.mask(record.distanceBits)
        name = BitField(at: record.distanceBits, mask: Self.mask(record.nameBits))
        site = BitField(
            at: record.distanceBits + record.nameBits, mask: Self.mask(record.siteBits))
        lineShift = UInt64(record.fileBits)
        columnShift = UInt64(record.fileBits + record.lineBits)
        fileMask = Self.mask(record.fileBits)
        lineMask = Self.mask(record.lineBits)
        columnMask = Self.mask(record.columnBits)
    }

    /// - Parameter record: A record followed by at least 16 readable bytes.
    @unsafe
    @inline(__always)
    func fields(at record: UnsafeRawPointer) -> ScopeRecord.Fields {
        let first = unsafe record.loadUnaligned(as: UInt64.self)
        return ScopeRecord.Fields(
            distance: UInt64(littleEndian: first) & distanceMask,
            name: unsafe name.value(at: record), site: unsafe site.value(at: record))
    }

    /// Returns the location of a call. A shift by 64 bits or more results in an empty field.
    @inline(__always)
    func callSite(_ site: UInt64) -> (file: UInt32, line: UInt32, column: UInt32) {
        (
            UInt32(truncatingIfNeeded: site & fileMask),
            UInt32(truncatingIfNeeded: site &>> lineShift & lineMask),
            UInt32(truncatingIfNeeded: site &>> columnShift & columnMask)
        )
    }

    private static func mask(_ bits: Int) -> UInt64 { 1 << UInt64(bits) &- 1 }
}

/// A field of at most 64 bits that starts at any bit of a record.
private struct BitField {
    private let position: Int
    private let shift: UInt64
    private let mask: UInt64

    init(at bit: Int, mask: UInt64) {
        position = bit / 8
        shift = UInt64(bit % 8)
        self.mask = mask
    }

    /// - Parameter record: A record followed by at least 9 readable bytes, because the words that
    ///   contain a field may extend beyond the record.
    @unsafe
    @inline(__always)
    func value(at record: UnsafeRawPointer) -> UInt64 {
        let low = unsafe record.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let high = unsafe record.load(fromByteOffset: position &+ 8, as: UInt8.self)
        // Two shifts, because a single shift by 64 bits would have no effect.
        let rest = (UInt64(high) &<< 1) &<< (63 &- shift)
        return (UInt64(littleEndian: low) &>> shift | rest) & mask
    }
}
