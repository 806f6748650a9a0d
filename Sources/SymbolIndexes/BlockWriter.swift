/// Writes entries, block by block.
struct BlockWriter {
    private(set) var entryCount = 0
    /// Where each block starts in the code, and in ``bytes``.
    private(set) var starts: [UInt64] = []
    private(set) var offsets: [UInt32] = []
    private(set) var bytes: [UInt8] = []
    private(set) var wideColumns: [UInt8] = []
    private(set) var wideColumnCount = 0
    private(set) var flags: IndexFlags = []
    /// The start of the last entry.
    private(set) var lastStart: UInt64 = 0
    private let scale: UInt64
    /// The block at work: its columns, the numbers that it begins with, and the rest.
    private var columns: [UInt8] = []
    private var base: StagedEntry?
    private var body: [UInt8] = []
    /// The last entry of the block that is not a gap.
    private var last: StagedEntry?

    init(scale: Int) { self.scale = UInt64(scale) }

    /// Adds an entry with the numbers of the index, but for the file, which is counted from 1.
    mutating func append(_ entry: StagedEntry) {
        begin(at: entry.start)
        if base == nil {
            base = entry
            last = entry
        }
        let before = last ?? entry
        let line = Zigzag.folded(Int64(entry.line) - Int64(before.line))
        let changes: (file: Bool, scope: Bool) = (
            entry.file != before.file, entry.scope != before.scope
        )
        let short = min(line, IndexLayout.lineChangeFollows)
        body.append(UInt8(short) << 2 | (changes.scope ? 2 : 0) | (changes.file ? 1 : 0))
        if short == IndexLayout.lineChangeFollows { body.append(leb128: line) }
        if changes.scope {
            body.append(leb128: Zigzag.folded(Int64(entry.scope) - Int64(before.scope)))
        }
        if changes.file { body.append(leb128: UInt64(entry.file)) }
        appendColumn(entry.column)
        if entry.line > 0 { flags.insert(.lines) }
        last = entry
        finishEntry()
    }

    /// Says that from `start` on there is nothing.
    mutating func appendGap(at start: UInt64) {
        begin(at: start)
        body.append(IndexLayout.gapControl)
        columns.append(0)
        finishEntry()
    }

    /// Ends the last block.
    mutating func finish() {
        if !columns.isEmpty { finishBlock() }
        offsets.append(UInt32(bytes.count))
    }

    private mutating func begin(at start: UInt64) {
        if columns.isEmpty {
            starts.append(start)
        } else {
            body.append(leb128: (start - lastStart) >> scale)
        }
        lastStart = start
    }

    private mutating func appendColumn(_ column: UInt32) {
        if column > 0 { flags.insert(.columns) }
        columns.append(UInt8(min(column, UInt32(IndexLayout.wideColumn))))
        guard column >= UInt32(IndexLayout.wideColumn) else { return }
        wideColumns.append(littleEndian: UInt32(entryCount))
        wideColumns.append(littleEndian: column)
        wideColumnCount += 1
    }

    private mutating func finishEntry() {
        entryCount += 1
        if columns.count == IndexLayout.entriesPerBlock { finishBlock() }
    }

    private mutating func finishBlock() {
        offsets.append(UInt32(bytes.count))
        bytes.append(contentsOf: columns)
        bytes.append(leb128: UInt64(base?.scope ?? 0))
        bytes.append(leb128: UInt64(base?.file ?? 0))
        bytes.append(leb128: UInt64(base?.line ?? 0))
        bytes.append(contentsOf: body)
        columns.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        base = nil
        last = nil
    }
}
