/// A section of an index, for the loops of a lookup. Every read is checked, and no read allocates.
///
/// It does not keep the file alive; its owner must.
@safe
struct SectionBytes: @unchecked Sendable {
    private let start: UnsafeRawPointer
    let count: Int
    /// The start of the section, relative to the end of the header.
    let origin: Int
    let section: IndexSection

    /// - Parameter bytes: The whole file. `extent` must be inside.
    @unsafe
    init(_ bytes: UnsafeRawBufferPointer, extent: IndexHeader.Extent, section: IndexSection) {
        precondition(
            extent.offset + extent.length <= UInt64(bytes.count), "section leaves the file")
        // An index has a header, so its bytes are not empty and have an address.
        unsafe start = bytes.baseAddress.unsafelyUnwrapped + Int(extent.offset)
        count = Int(extent.length)
        origin = Int(extent.offset) - IndexLayout.headerSize
        self.section = section
    }

    func corrupt(at position: Int) -> SymbolIndexError {
        SymbolIndexError(.corrupt(section, at: UInt64(max(position, 0))))
    }

    @inline(__always)
    func byte(at position: Int) throws(SymbolIndexError) -> UInt8 {
        guard position >= 0, position < count else { throw corrupt(at: position) }
        return unsafe start.load(fromByteOffset: position, as: UInt8.self)
    }

    /// Returns item `index` of a table of 32-bit numbers.
    @inline(__always)
    func word(_ index: Int) throws(SymbolIndexError) -> Int {
        guard index >= 0, index < count / 4 else { throw corrupt(at: index &* 4) }
        let word = unsafe start.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        return Int(UInt32(littleEndian: word))
    }

    /// Returns item `index` of a table of 64-bit numbers.
    @inline(__always)
    func doubleWord(_ index: Int) throws(SymbolIndexError) -> UInt64 {
        guard index >= 0, index < count / 8 else { throw corrupt(at: index &* 8) }
        let word = unsafe start.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        return UInt64(littleEndian: word)
    }

    /// Returns record `index` of a table whose records have `size` bytes, followed by `padding`
    /// bytes.
    @unsafe
    @inline(__always)
    func record(
        _ index: Int, size: Int, padding: Int
    ) throws(SymbolIndexError) -> UnsafeRawPointer {
        let (position, overflows) = index.multipliedReportingOverflow(by: size)
        guard index >= 0, !overflows, position <= count &- size &- padding else {
            throw corrupt(at: overflows ? 0 : position)
        }
        return unsafe start + position
    }

    /// Reads two LEB128 numbers, or one at the start of a group. Most have one or two bytes,
    /// unpredictably, so they are read without a branch.
    @inline(__always)
    func nameChange(at position: Int, isFirst: Bool) throws(SymbolIndexError) -> NameChange {
        guard position >= 0, position <= count &- 4 else {
            return try longNameChange(at: position, isFirst: isFirst)
        }
        let bytes = unsafe start.loadUnaligned(fromByteOffset: position, as: UInt32.self)
        let word = UInt64(UInt32(littleEndian: bytes))
        let shared = ShortNumber(word, count: isFirst ? 0 : 1, thirdBytes: 0)
        let added = ShortNumber(word &>> shared.bits, count: 1, thirdBytes: 0)
        guard shared.overflow | added.overflow == 0 else {
            return try longNameChange(at: position, isFirst: isFirst)
        }
        return NameChange(
            shared: Int(truncatingIfNeeded: shared.value),
            added: Int(truncatingIfNeeded: added.value),
            start: position &+ Int(truncatingIfNeeded: (shared.bits &+ added.bits) &>> 3))
    }

    private func longNameChange(
        at position: Int, isFirst: Bool
    ) throws(SymbolIndexError) -> NameChange {
        var start = position
        let shared = isFirst ? 0 : try uleb128(at: &start, before: count)
        let added = try uleb128(at: &start, before: count)
        guard let shared = Int(exactly: shared), let added = Int(exactly: added) else {
            throw corrupt(at: position)
        }
        return NameChange(shared: shared, added: added, start: start)
    }

    /// Reads an unsigned LEB128 number (DWARF 5, 7.6) of up to ten bytes. Bits beyond the 64th are
    /// ignored.
    func uleb128(at position: inout Int, before end: Int) throws(SymbolIndexError) -> UInt64 {
        let first = position
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < end, shift < 64 {
            let byte = try byte(at: position)
            position += 1
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw corrupt(at: first)
    }

    /// Returns the range of the text at `position`, up to the next zero.
    @inline(__always)
    func textRange(at position: Int, limit: Int) throws(SymbolIndexError) -> Range<Int> {
        guard position >= 0, position < count else { throw corrupt(at: position) }
        let limit = position &+ min(count &- position, limit &+ 1)
        var end = position
        while end &+ 8 <= limit {
            let bytes = unsafe start.loadUnaligned(fromByteOffset: end, as: UInt64.self)
            let zero = UInt64(littleEndian: bytes).firstZeroByte
            if zero < 8 { return position..<end &+ zero }
            end &+= 8
        }
        while end < limit {
            if unsafe start.load(fromByteOffset: end, as: UInt8.self) == 0 { return position..<end }
            end &+= 1
        }
        throw corrupt(at: position)
    }

    /// The start of the section, for loops that stay within bytes they have checked.
    @unsafe var pointer: UnsafeRawPointer { unsafe start }

    /// Whether a range from ``textRange(at:limit:)`` contains `text`.
    func isEqual(_ range: Range<Int>, to text: String) throws(SymbolIndexError) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw corrupt(at: range.lowerBound)
        }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: start + range.lowerBound, count: range.count)
        return unsafe bytes.elementsEqual(text.utf8)
    }

    /// Returns the text of a range from ``textRange(at:limit:)``, with invalid UTF-8 replaced.
    func string(of range: Range<Int>) throws(SymbolIndexError) -> String {
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw corrupt(at: range.lowerBound)
        }
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count),
            as: UTF8.self)
    }
}

extension UInt64 {
    /// The index of the lowest of the eight bytes that is 0, or 8 if none is.
    fileprivate var firstZeroByte: Int {
        let zeros = (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080
        return zeros.trailingZeroBitCount / 8
    }
}

/// The header of a name in a group.
struct NameChange {
    /// The length of the prefix shared with the previous name.
    var shared: Int
    /// The length of the rest.
    var added: Int
    /// The position of the rest.
    var start: Int
}
