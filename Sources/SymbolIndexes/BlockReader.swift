/// Decodes the entries of one block, one after another.
@safe
struct BlockReader {
    /// What the last entry read says; file + 1, and no column yet.
    private(set) var scope: UInt64
    private(set) var file: UInt64
    private(set) var line: Int64
    private(set) var isGap = true
    private(set) var start: UInt64
    /// How many entries were read.
    private(set) var position = 0
    let entryCount: Int
    private let section: SectionBytes
    /// The bytes of the section. No place below `end` lies outside of it: `init` has seen to that.
    private let bytes: UnsafeRawPointer
    private let scale: UInt64
    private let columns: Int
    private var place: Int
    private let end: Int

    /// - Parameter extent: Where the block stands in the section.
    @inline(__always)
    init(
        _ section: SectionBytes, extent: Range<Int>, start: UInt64, entryCount: Int, scale: Int
    ) throws(SymbolIndexError) {
        guard extent.upperBound <= section.count, extent.count >= entryCount else {
            throw section.corrupt(at: extent.lowerBound)
        }
        self.section = section
        unsafe bytes = section.pointer
        self.start = start
        self.entryCount = entryCount
        self.scale = UInt64(scale)
        columns = extent.lowerBound
        end = extent.upperBound
        place = extent.lowerBound + entryCount
        scope = 0
        file = 0
        line = 0
        scope = try leb128()
        file = try leb128()
        line = Int64(truncatingIfNeeded: try leb128())
    }

    var isAtEnd: Bool { position == entryCount }

    /// The start of the entry that comes next, of which there must be one, and not the first.
    ///
    /// After it ``readNext(at:)`` reads that entry's contents; what was read before stays until then.
    @inline(__always)
    mutating func nextStart() throws(SymbolIndexError) -> UInt64 {
        start &+ (try leb128() &<< scale)
    }

    @inline(__always)
    mutating func readNext(at start: UInt64) throws(SymbolIndexError) {
        let control = try byte()
        self.start = start
        position &+= 1
        isGap = control == IndexLayout.gapControl
        if isGap { return }
        var change = UInt64(control >> 2)
        if change >= IndexLayout.lineChangeFollows { change = try leb128() }
        line &+= Zigzag.unfolded(change)
        if control & 2 != 0 { scope &+= UInt64(bitPattern: Zigzag.unfolded(try leb128())) }
        if control & 1 != 0 { file = try leb128() }
    }

    /// The column byte of the last entry read.
    func columnByte() throws(SymbolIndexError) -> UInt8 {
        try section.byte(at: columns + position - 1)
    }

    @inline(__always)
    private mutating func byte() throws(SymbolIndexError) -> UInt8 {
        guard place < end else { throw section.corrupt(at: place) }
        let byte = unsafe bytes.load(fromByteOffset: place, as: UInt8.self)
        place &+= 1
        return byte
    }

    /// Reads an unsigned LEB128 number; most have one byte.
    @inline(__always)
    private mutating func leb128() throws(SymbolIndexError) -> UInt64 {
        let first = try byte()
        return first < 0x80 ? UInt64(first) : try longLEB128(after: first)
    }

    private mutating func longLEB128(after first: UInt8) throws(SymbolIndexError) -> UInt64 {
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while shift < 64 {
            let byte = try byte()
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw section.corrupt(at: place)
    }
}
