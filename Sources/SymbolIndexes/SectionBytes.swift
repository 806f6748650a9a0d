/// One section of an index, for the loops of a lookup: every read is checked, and none allocates.
///
/// It does not keep the file alive; whoever holds it does.
@safe
struct SectionBytes: @unchecked Sendable {
    private let start: UnsafeRawPointer
    let count: Int
    let section: IndexSection

    /// - Parameter bytes: The whole file; `extent` was checked to lie inside when it was opened.
    @unsafe
    init(_ bytes: UnsafeRawBufferPointer, _ extent: IndexHeader.Extent, _ section: IndexSection) {
        precondition(
            extent.offset + extent.length <= UInt64(bytes.count), "section leaves the file")
        // An index has a header, so its bytes are not empty and have an address.
        unsafe start = bytes.baseAddress.unsafelyUnwrapped + Int(extent.offset)
        count = Int(extent.length)
        self.section = section
    }

    func corrupt(at place: Int) -> SymbolIndexError {
        SymbolIndexError(.corrupt(section, at: UInt64(max(place, 0))))
    }

    @inline(__always)
    func byte(at place: Int) throws(SymbolIndexError) -> UInt8 {
        guard place >= 0, place < count else { throw corrupt(at: place) }
        return unsafe start.load(fromByteOffset: place, as: UInt8.self)
    }

    /// Item `index` of a table of 32-bit numbers.
    @inline(__always)
    func word(_ index: Int) throws(SymbolIndexError) -> Int {
        guard index >= 0, index < count / 4 else { throw corrupt(at: index &* 4) }
        let word = unsafe start.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        return Int(UInt32(littleEndian: word))
    }

    /// Item `index` of a table of 64-bit numbers.
    @inline(__always)
    func doubleWord(_ index: Int) throws(SymbolIndexError) -> UInt64 {
        guard index >= 0, index < count / 8 else { throw corrupt(at: index &* 8) }
        let word = unsafe start.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        return UInt64(littleEndian: word)
    }

    /// The 16 bytes at `place` as one number.
    @inline(__always)
    func sixteenBytes(at place: Int) throws(SymbolIndexError) -> UInt128 {
        guard place >= 0, place <= count - 16 else { throw corrupt(at: place) }
        let low = unsafe start.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let high = unsafe start.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
        return UInt128(UInt64(littleEndian: high)) << 64 | UInt128(UInt64(littleEndian: low))
    }

    /// Reads an unsigned LEB128 number that ends before `end`; bits beyond the 64th are an error.
    @inline(__always)
    func leb128(at place: inout Int, end: Int) throws(SymbolIndexError) -> UInt64 {
        let first = place
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < end, shift < 64 {
            let byte = try byte(at: place)
            place += 1
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw corrupt(at: first)
    }

    /// The bytes from the section's start on, for a loop that keeps within what it has checked.
    @unsafe var pointer: UnsafeRawPointer { unsafe start }

    /// The bytes of `range`, for as long as this value may be used.
    func withBytes<Result>(
        of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(SymbolIndexError) -> Result {
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw corrupt(at: range.lowerBound)
        }
        return unsafe body(
            UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
    }
}
