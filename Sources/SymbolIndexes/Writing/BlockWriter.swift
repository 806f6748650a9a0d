import ByteReading

/// Writes entries, block by block.
struct BlockWriter {
    private(set) var entryCount = 0
    /// The start of each block in the code, and in ``bytes``.
    private(set) var starts: [UInt64] = []
    private(set) var offsets: [UInt32] = []
    private(set) var bytes: [UInt8] = []
    private(set) var wideColumns: [UInt8] = []
    private(set) var wideColumnCount = 0
    /// The start of the last entry.
    private(set) var lastStart: UInt64 = 0
    private let scale: UInt64
    private var allLines: UInt32 = 0
    private var allColumns: UInt32 = 0
    /// The current block: its columns, its first numbers, and the rest.
    private var columns = InlineArray<32, UInt8>(repeating: 0)
    private var columnCount = 0
    private var base: StagedEntry?
    private var body = BlockBody()
    /// The last entry of the block that is not a gap.
    private var last = StagedEntry(start: 0, scope: 0, file: 0, line: 0, column: 0)

    /// The usual size of an entry with its share of the block's first numbers.
    private static let bytesPerEntry = 5

    /// - Parameter room: The approximate number of entries.
    init(scale: Int, room: Int) {
        self.scale = UInt64(scale)
        bytes.reserveCapacity(room * Self.bytesPerEntry)
    }

    var flags: IndexFlags {
        var flags: IndexFlags = []
        if allLines > 0 { flags.insert(.lines) }
        if allColumns > 0 { flags.insert(.columns) }
        return flags
    }

    /// Adds an entry with the numbers of the index, except that files are counted from 1.
    @inline(__always)
    mutating func append(_ entry: StagedEntry) {
        begin(at: entry.start)
        if base == nil {
            base = entry
            last = entry
        }
        let line = Zigzag.folded(Int64(entry.line) &- Int64(last.line))
        let isLong = line >= IndexLayout.lineChangeFollows
        let short = isLong ? IndexLayout.lineChangeFollows : line
        body.put(
            UInt8(truncatingIfNeeded: short << 2) | (entry.scope != last.scope ? 2 : 0)
                | (entry.file != last.file ? 1 : 0))
        if isLong { body.put(leb128: line) }
        if entry.scope != last.scope {
            body.put(leb128: Zigzag.folded(Int64(entry.scope) &- Int64(last.scope)))
        }
        if entry.file != last.file { body.put(leb128: UInt64(entry.file)) }
        allLines |= entry.line
        allColumns |= entry.column
        last = entry
        finishEntry(column: entry.column)
    }

    /// Adds a gap that begins at `start`.
    mutating func appendGap(at start: UInt64) {
        begin(at: start)
        body.put(IndexLayout.gapControl)
        finishEntry(column: 0)
    }

    /// Ends the last block.
    mutating func finish() {
        if columnCount > 0 { finishBlock() }
        offsets.append(UInt32(truncatingIfNeeded: bytes.count))
    }

    @inline(__always)
    private mutating func begin(at start: UInt64) {
        if columnCount == 0 {
            starts.append(start)
        } else {
            body.put(leb128: (start &- lastStart) >> scale)
        }
        lastStart = start
    }

    @inline(__always)
    private mutating func finishEntry(column: UInt32) {
        if column >= UInt32(IndexLayout.wideColumn) { appendWideColumn(column) }
        columns[columnCount] = UInt8(min(column, UInt32(IndexLayout.wideColumn)))
        columnCount &+= 1
        entryCount &+= 1
        if columnCount == IndexLayout.entriesPerBlock { finishBlock() }
    }

    @inline(never)
    private mutating func appendWideColumn(_ column: UInt32) {
        wideColumns.append(littleEndian: UInt32(entryCount))
        wideColumns.append(littleEndian: column)
        wideColumnCount += 1
    }

    @inline(never)
    private mutating func finishBlock() {
        offsets.append(UInt32(truncatingIfNeeded: bytes.count))
        bytes.append(columns.span.extracting(0..<columnCount))
        bytes.append(uleb128: UInt64(base?.scope ?? 0))
        bytes.append(uleb128: UInt64(base?.file ?? 0))
        bytes.append(uleb128: UInt64(base?.line ?? 0))
        bytes.append(body.bytes.span.extracting(0..<body.count))
        columnCount = 0
        body.count = 0
        base = nil
    }
}

/// The bytes of a block after its columns and first numbers, with room for the longest block.
private struct BlockBody {
    var bytes = InlineArray<1024, UInt8>(repeating: 0)
    var count = 0

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        unsafe bytes[unchecked: count] = byte
        count &+= 1
    }

    @inline(__always)
    mutating func put(leb128 number: UInt64) {
        var bytes = bytes.mutableSpan
        unsafe bytes.put(leb128: number, at: &count)
    }
}
