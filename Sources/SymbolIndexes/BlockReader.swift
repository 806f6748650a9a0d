/// Decodes the entries of one block, one after another.
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
    private let bytes: SectionBytes
    private let scale: UInt64
    private let columns: Int
    private var place: Int
    private let end: Int

    /// - Parameter extent: Where the block stands in the section.
    init(
        _ bytes: SectionBytes, extent: Range<Int>, start: UInt64, entryCount: Int, scale: Int
    ) throws(SymbolIndexError) {
        guard extent.upperBound <= bytes.count, extent.count >= entryCount else {
            throw bytes.corrupt(at: extent.lowerBound)
        }
        self.bytes = bytes
        self.start = start
        self.entryCount = entryCount
        self.scale = UInt64(scale)
        columns = extent.lowerBound
        end = extent.upperBound
        place = extent.lowerBound + entryCount
        scope = try bytes.leb128(at: &place, end: end)
        file = try bytes.leb128(at: &place, end: end)
        line = Int64(truncatingIfNeeded: try bytes.leb128(at: &place, end: end))
    }

    var isAtEnd: Bool { position == entryCount }

    /// The start of the entry that comes next, of which there must be one, and not the first.
    ///
    /// After it ``readNext()`` reads that entry's contents; what was read before stays until then.
    @inline(__always)
    mutating func nextStart() throws(SymbolIndexError) -> UInt64 {
        start &+ (try bytes.leb128(at: &place, end: end) &<< scale)
    }

    @inline(__always)
    mutating func readNext(at start: UInt64) throws(SymbolIndexError) {
        guard place < end else { throw bytes.corrupt(at: place) }
        let control = try bytes.byte(at: place)
        place += 1
        self.start = start
        position += 1
        isGap = control == IndexLayout.gapControl
        if isGap { return }
        var change = UInt64(control >> 2)
        if change >= IndexLayout.lineChangeFollows {
            change = try bytes.leb128(at: &place, end: end)
        }
        line &+= Zigzag.unfolded(change)
        if control & 2 != 0 {
            let change = Zigzag.unfolded(try bytes.leb128(at: &place, end: end))
            scope &+= UInt64(bitPattern: change)
        }
        if control & 1 != 0 { file = try bytes.leb128(at: &place, end: end) }
    }

    /// The column byte of the last entry read.
    @inline(__always)
    func columnByte() throws(SymbolIndexError) -> UInt8 {
        try bytes.byte(at: columns + position - 1)
    }
}
