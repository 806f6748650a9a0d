/// Decodes the entries of one block, one after another.
@safe
struct BlockReader {
    /// What the last entry read says; file + 1, and no column yet.
    var scope: UInt64 { entry.scope }
    var file: UInt64 { entry.file }
    var line: Int64 { entry.line }
    var isGap: Bool { entry.isGap }
    var start: UInt64 { entry.start }
    /// How many entries were read.
    private(set) var position = 0
    let entryCount: Int
    private let section: SectionBytes
    /// The bytes of the section. No place below `end` lies outside of it: `init` has seen to that.
    private let bytes: UnsafeRawPointer
    private let scale: UInt64
    private let columns: Int
    private let end: Int
    private var place: Int
    private var entry: Entry

    private struct Entry {
        var start: UInt64
        var scope: UInt64 = 0
        var file: UInt64 = 0
        var line: Int64 = 0
        var isGap = true
    }

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
        self.entryCount = entryCount
        self.scale = UInt64(scale)
        columns = extent.lowerBound
        end = extent.upperBound
        place = extent.lowerBound + entryCount
        entry = Entry(start: start)
        entry.scope = try leb128()
        entry.file = try leb128()
        entry.line = Int64(truncatingIfNeeded: try leb128())
    }

    var isAtEnd: Bool { position == entryCount }

    /// The start of the entry that comes next, of which there must be one, and not the first.
    ///
    /// After it ``readNext(at:)`` reads that entry's contents; what was read before stays until then.
    @inline(__always)
    mutating func nextStart() throws(SymbolIndexError) -> UInt64 {
        entry.start &+ (try leb128() &<< scale)
    }

    @inline(__always)
    mutating func readNext(at start: UInt64) throws(SymbolIndexError) {
        let control = try byte()
        entry.start = start
        position &+= 1
        entry.isGap = control == IndexLayout.gapControl
        if entry.isGap { return }
        var change = UInt64(control >> 2)
        if change >= IndexLayout.lineChangeFollows { change = try leb128() }
        entry.line &+= Zigzag.unfolded(change)
        if control & 2 != 0 { entry.scope &+= UInt64(bitPattern: Zigzag.unfolded(try leb128())) }
        if control & 1 != 0 { entry.file = try leb128() }
    }

    /// Reads the first entry, and each further one that starts at or before `offset`.
    @inline(__always)
    mutating func read(upTo offset: UInt64) throws(SymbolIndexError) {
        try readNext(at: start)
        while !readShortEntries(upTo: offset) {
            let next = try nextStart()
            if next > offset { return }
            try readNext(at: next)
        }
    }

    /// Reads entries that start at or before `offset`, each out of one word of eight bytes.
    ///
    /// What an entry changes is as good as random, and a processor that guesses it wrong loses more
    /// time than all of the entry takes. So line, scope and file are taken from the word in any case,
    /// and changed by nothing where the control byte names no change.
    ///
    /// - Returns: Whether it is done. If not, the next entry has a number of more than two bytes or
    ///   lies at the end of the section, and has to be read byte by byte.
    @inline(__always)
    private mutating func readShortEntries(upTo offset: UInt64) -> Bool {
        // Copies, which stay in registers.
        var entry = entry
        var place = place
        var position = position
        defer {
            self.entry = entry
            self.place = place
            self.position = position
        }
        while position < entryCount {
            guard place <= section.count &- 8 else { return false }
            let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let short = ShortEntry(UInt64(littleEndian: word))
            let next = entry.start &+ (short.distance &<< scale)
            guard short.isWhole, place &+ short.byteCount <= end else { return false }
            if next > offset { return true }
            entry.start = next
            entry.line &+= Zigzag.unfolded(short.lineChange)
            entry.scope &+= UInt64(bitPattern: Zigzag.unfolded(short.scopeChange))
            entry.file ^= (entry.file ^ short.file) & short.fileMask
            entry.isGap = short.isGap
            place &+= short.byteCount
            position &+= 1
        }
        return true
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
