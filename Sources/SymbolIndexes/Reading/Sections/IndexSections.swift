import ByteReading
import Synchronization

/// The sections that lookups read, as plain pointers and numbers, and their file.
///
/// The pointers do not keep the file alive; this object does.
final class IndexSections: Sendable {
    let bytes: FileBytes
    let header: IndexHeader
    /// See ``SymbolIndex/identity``.
    let identity = lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue
    let shape: IndexShape
    let buckets: SectionBytes
    let blockStarts: SectionBytes
    let blockOffsets: SectionBytes
    let blocks: SectionBytes
    let scopes: SectionBytes
    let nameGroups: SectionBytes
    let nameBytes: SectionBytes
    let files: SectionBytes
    let fileStrings: SectionBytes
    let wideColumns: SectionBytes
    let notes: SectionBytes
    private let scopeReader: ScopeReader
    let chunks: IndexChunks

    private static let lastIdentity = Atomic<UInt64>(0)

    /// - Parameter header: The header of the same bytes.
    init(_ bytes: FileBytes, header: IndexHeader) {
        self.bytes = bytes
        self.header = header
        shape = header.shape
        scopeReader = ScopeReader(header.shape.record)
        func section(_ section: IndexSection) -> SectionBytes {
            unsafe bytes.withUnsafeBytes {
                unsafe SectionBytes($0, extent: header[section], section: section)
            }
        }
        buckets = section(.buckets)
        blockStarts = section(.blockStarts)
        blockOffsets = section(.blockOffsets)
        blocks = section(.blocks)
        scopes = section(.scopes)
        nameGroups = section(.nameGroups)
        nameBytes = section(.nameBytes)
        files = section(.files)
        fileStrings = section(.fileStrings)
        wideColumns = section(.wideColumns)
        notes = section(.notes)
        chunks = unsafe bytes.withUnsafeBytes { unsafe IndexChunks($0, header: header) }
    }

    deinit { chunks.deallocate() }

    /// Verifies `count` items of a table, starting at `index`.
    @inline(__always)
    func verify(
        _ index: Int, count: Int = 1, size: Int = 4, of table: SectionBytes
    ) throws(SymbolIndexError) {
        try chunks.verify(index &* size..<(index &+ count) &* size, of: table)
    }

    @inline(__always)
    private func verifyStarts(_ blocks: Range<Int>) throws(SymbolIndexError) {
        try verify(
            blocks.lowerBound, count: blocks.count,
            size: shape.flags.contains(.wideStarts) ? 8 : 4, of: blockStarts)
    }

    @inline(__always)
    func start(ofBlock block: Int) throws(SymbolIndexError) -> UInt64 {
        try verifyStarts(block..<block &+ 1)
        return try readStart(ofBlock: block)
    }

    @inline(__always)
    private func readStart(ofBlock block: Int) throws(SymbolIndexError) -> UInt64 {
        shape.flags.contains(.wideStarts)
            ? try blockStarts.doubleWord(block) : UInt64(try blockStarts.word(block))
    }

    /// The maximum number of candidate blocks for a linear search.
    private static let linearSearchLimit = 8

    /// Returns the block that contains `offset`, or `nil` before the first and after the last
    /// bucket.
    @inline(__always)
    func block(at offset: UInt64) throws(SymbolIndexError) -> Int? {
        let bucket = offset >> UInt64(shape.bucketShift)
        guard bucket + 1 < UInt64(shape.counts.buckets) else { return nil }
        try verify(Int(bucket), count: 2, of: buckets)
        var low = try buckets.word(Int(bucket))
        var high = try buckets.word(Int(bucket) + 1)
        guard low <= high, high <= shape.counts.blocks else {
            throw buckets.corrupt(at: Int(bucket) * 4)
        }
        while high &- low > Self.linearSearchLimit {
            let middle = (low &+ high) / 2
            if try start(ofBlock: middle) <= offset { low = middle &+ 1 } else { high = middle }
        }
        try verifyStarts(low..<high)
        while low < high, try readStart(ofBlock: low) <= offset { low &+= 1 }
        return low == 0 ? nil : low &- 1
    }

    @inline(__always)
    func reader(ofBlock block: Int) throws(SymbolIndexError) -> BlockReader {
        try verify(block, count: 2, of: blockOffsets)
        let first = try blockOffsets.word(block)
        let end = try blockOffsets.word(block + 1)
        guard first <= end else { throw blockOffsets.corrupt(at: block * 4) }
        try chunks.verify(first..<end, of: blocks)
        let before = block * IndexLayout.entriesPerBlock
        return try BlockReader(
            blocks, extent: first..<end, start: try start(ofBlock: block),
            entryCount: min(shape.counts.entries - before, IndexLayout.entriesPerBlock),
            scale: shape.scale)
    }

    /// Returns the last entry read, or `nil` for a gap.
    @inline(__always)
    func entry(_ reader: BlockReader, ofBlock block: Int) throws(SymbolIndexError) -> IndexEntry? {
        if reader.isGap { return nil }
        guard reader.scope < UInt64(shape.counts.scopes),
            reader.file <= UInt64(shape.counts.files), let line = UInt32(exactly: reader.line)
        else { throw blockOffsets.corrupt(at: block * 4) }
        var column = UInt32(try reader.columnByte())
        if column == UInt32(IndexLayout.wideColumn) {
            let number = block * IndexLayout.entriesPerBlock + reader.position - 1
            column = try wideColumn(ofEntry: number)
        }
        return IndexEntry(
            scope: Int(reader.scope), file: UInt32(reader.file), line: line, column: column)
    }

    /// Returns the entry that contains `offset`, or `nil` if there is no code.
    func entry(at offset: UInt64) throws(SymbolIndexError) -> IndexEntry? {
        guard let block = try block(at: offset) else { return nil }
        var reader = try reader(ofBlock: block)
        try reader.read(upTo: offset)
        return try entry(reader, ofBlock: block)
    }

    private func wideColumn(ofEntry number: Int) throws(SymbolIndexError) -> UInt32 {
        var low = 0
        var high = shape.counts.wideColumns
        while low < high {
            let middle = (low + high) / 2
            try verify(middle, size: 8, of: wideColumns)
            if try wideColumns.word(middle * 2) < number { low = middle + 1 } else { high = middle }
        }
        try verify(min(low, shape.counts.wideColumns &- 1), size: 8, of: wideColumns)
        guard low < shape.counts.wideColumns, try wideColumns.word(low * 2) == number else {
            throw wideColumns.corrupt(at: low * 8)
        }
        return UInt32(try wideColumns.word(low * 2 + 1))
    }

    @inline(__always)
    func scope(_ number: Int) throws(SymbolIndexError) -> ScopeRecord.Fields {
        let size = shape.record.size
        let record = unsafe try scopes.record(number, size: size, padding: IndexLayout.scopePadding)
        try verify(number, size: size, of: scopes)
        let fields = unsafe scopeReader.fields(at: record)
        guard fields.distance <= UInt64(number), fields.name < UInt64(shape.counts.names) else {
            throw scopes.corrupt(at: number * size)
        }
        return fields
    }

    @inline(__always)
    func callSite(_ site: UInt64) -> (file: UInt32, line: UInt32, column: UInt32) {
        scopeReader.callSite(site)
    }
}

/// The scope, file, line and column of a range of code.
struct IndexEntry: Equatable {
    var scope: Int
    /// The file's number + 1, or 0 for none.
    var file: UInt32
    var line: UInt32
    var column: UInt32
}
