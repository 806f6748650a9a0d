/// Decodes the entries of one block, one after another.
@safe
struct BlockReader {
    /// The last entry read, with file + 1 and without its column.
    var scope: UInt64 { entry.scope }
    var file: UInt64 { entry.file }
    var line: Int64 { entry.line }
    var isGap: Bool { entry.isGap }
    var start: UInt64 { entry.start }
    /// The number of entries read.
    private(set) var position = 0
    let entryCount: Int
    private let section: SectionBytes
    /// The bytes of the section. `init` ensures that every position below `end` is inside.
    private let bytes: UnsafeRawPointer
    private let scale: UInt64
    private let columns: Int
    private let end: Int
    /// The position of the next byte to read.
    private var nextByte: Int
    private var entry: Entry

    private struct Entry {
        var start: UInt64
        var scope: UInt64 = 0
        var file: UInt64 = 0
        var line: Int64 = 0
        var isGap = true
    }

    /// - Parameter extent: The range of the block in the section.
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
        nextByte = extent.lowerBound + entryCount
        entry = Entry(start: start)
        entry.scope = try leb128()
        entry.file = try leb128()
        entry.line = Int64(truncatingIfNeeded: try leb128())
    }

    var isAtEnd: Bool { position == entryCount }

    /// Reads the start of the next entry, which must exist and not be the first.
    ///
    /// ``readNext(at:)`` then reads the entry's contents; until then the previous entry stays
    /// valid.
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

    /// Reads entries that start at or before `offset`, each from one word of eight bytes.
    ///
    /// The changes in an entry are unpredictable, and a mispredicted branch costs more than reading
    /// the whole entry. So line, scope and file changes are always taken from the word, and are
    /// zero if the control byte announces none.
    ///
    /// - Returns: Whether all entries were read. If not, the next one has a number of more than two
    ///   bytes or is at the end of the section, and must be read byte by byte.
    @inline(__always)
    private mutating func readShortEntries(upTo offset: UInt64) -> Bool {
        // Local copies stay in registers.
        var entry = entry
        var nextByte = nextByte
        var position = position
        defer {
            self.entry = entry
            self.nextByte = nextByte
            self.position = position
        }
        while position < entryCount {
            guard nextByte <= section.count &- 8 else { return false }
            let word = unsafe bytes.loadUnaligned(fromByteOffset: nextByte, as: UInt64.self)
            let short = ShortEntry(UInt64(littleEndian: word))
            let next = entry.start &+ (short.distance &<< scale)
            guard short.isWhole, nextByte &+ short.byteCount <= end else { return false }
            if next > offset { return true }
            entry.start = next
            entry.line &+= Zigzag.unfolded(short.lineChange)
            entry.scope &+= UInt64(bitPattern: Zigzag.unfolded(short.scopeChange))
            entry.file ^= (entry.file ^ short.file) & short.fileMask
            entry.isGap = short.isGap
            nextByte &+= short.byteCount
            position &+= 1
        }
        return true
    }

    /// Returns the column byte of the last entry read.
    func columnByte() throws(SymbolIndexError) -> UInt8 {
        try section.byte(at: columns + position - 1)
    }

    @inline(__always)
    private mutating func byte() throws(SymbolIndexError) -> UInt8 {
        guard nextByte < end else { throw section.corrupt(at: nextByte) }
        let byte = unsafe bytes.load(fromByteOffset: nextByte, as: UInt8.self)
        nextByte &+= 1
        return byte
    }

    /// Reads an unsigned LEB128 number; most have one byte.
    @inline(__always)
    private mutating func leb128() throws(SymbolIndexError) -> UInt64 {
        let first = try byte()
        if first < 0x80 { return UInt64(first) }
        var position = nextByte &- 1
        let number = try section.uleb128(at: &position, before: end)
        nextByte = position
        return number
    }
}
