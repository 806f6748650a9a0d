// Calls and entries of parts are staged for the encoder as bytes, in a third of the size of
// structures.
//
// A part is its calls, its entries, and the files of these. A call has 14 bytes: u32 name, file and
// line, u16 column; then LEB128 of the distance. A file is LEB128. An entry is
//
//   1. LEB128 of the distance from the previous entry, at first from the part's start;
//   2. a byte: bit 0: the file changes, bit 1: the scope changes, bits 2 to 7: zigzag of the line's
//      change, 0 to 61, or 62 if it follows as LEB128;
//   3. LEB128 of the column; then, if so marked, of the line's change, the scope's change (zigzag),
//      and the file: its position among the files of the part.
//
// Changes are relative to the previous entry, at first to zeros. The first entry always has its
// file.

/// The position and contents of a part's bytes.
struct StagedPart: Sendable {
    /// The pool of the part; see ``StagedPool``.
    var pool: UInt32 = 0
    var chunk: UInt32 = 0
    /// The positions of its calls, entries and files in the chunk.
    var firstCall: UInt32 = 0
    var firstEntry: UInt32 = 0
    var firstFile: UInt32 = 0
    var callCount: UInt32 = 0
    var entryCount: UInt32 = 0
    var fileCount: UInt32 = 0
    /// The bitwise OR of all starts of entries.
    var startBits: UInt64 = 0
}

/// The bytes of parts, in chunks, so that growing needs no copying and no memory for two copies.
struct StagedBytes: Sendable {
    private(set) var chunks: [[UInt8]] = []
    private static let chunkSize = 1 << 20

    /// Appends the first `count` bytes, which are those of `part`, with positions relative to the
    /// first.
    mutating func append(_ bytes: [UInt8], count: Int, as part: inout StagedPart) {
        if chunks.isEmpty || chunks[chunks.count - 1].count + count > Self.chunkSize {
            var chunk: [UInt8] = []
            chunk.reserveCapacity(max(Self.chunkSize, count))
            chunks.append(chunk)
        }
        let start = UInt32(chunks[chunks.count - 1].count)
        part.chunk = UInt32(chunks.count - 1)
        part.firstCall += start
        part.firstEntry += start
        part.firstFile += start
        chunks[chunks.count - 1].append(bytes.span.extracting(0..<count))
    }
}

/// The bytes of parts, and tables from the names and files in them to those of the builder.
///
/// A builder that merges another one does not change its bytes, but stores a table instead.
struct StagedPool: Sendable {
    var bytes = StagedBytes()
    /// For each name, and each file + 1, its number in the builder.
    var names: [UInt32] = []
    var files: [UInt32] = []

    /// Returns the same bytes with new tables for names and files.
    func renumbered(names: [UInt32], files: [UInt32]) -> StagedPool {
        StagedPool(
            bytes: bytes, names: self.names.map { names[Int($0)] },
            files: self.files.map { files[Int($0)] })
    }
}

extension Span<UInt8> {
    @unsafe @inline(__always)
    func call(at position: inout Int) -> StagedCall {
        let bytes = unsafe bytes
        var call = unsafe StagedCall(
            distance: 0,
            name: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt32.self),
            file: bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: position &+ 4, as: UInt32.self),
            line: bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: position &+ 8, as: UInt32.self),
            column: UInt32(
                bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: position &+ 12, as: UInt16.self)))
        position &+= 14
        call.distance = unsafe UInt32(truncatingIfNeeded: leb128(at: &position))
        return call
    }

    /// Changes the previous entry into the one at `position`.
    @unsafe @inline(__always)
    func advance(_ entry: inout StagedEntry, at position: inout Int) {
        entry.start &+= unsafe leb128(at: &position)
        let control = unsafe self[unchecked: position]
        position &+= 1
        entry.column = unsafe UInt32(truncatingIfNeeded: leb128(at: &position))
        var line = UInt64(control >> 2)
        if line == IndexLayout.lineChangeFollows { line = unsafe leb128(at: &position) }
        entry.line = entry.line &+ UInt32(truncatingIfNeeded: Zigzag.unfolded(line))
        if control & 2 != 0 {
            let change = unsafe Zigzag.unfolded(leb128(at: &position))
            entry.scope = entry.scope &+ UInt32(truncatingIfNeeded: change)
        }
        if control & 1 != 0 {
            entry.file = unsafe UInt32(truncatingIfNeeded: leb128(at: &position))
        }
    }
}

extension MutableSpan<UInt8> {
    /// The maximum sizes of a call, an entry and a file, in bytes.
    static var callSize: Int { 14 + 5 }
    static var entrySize: Int { 10 + 1 + 5 * 4 }
    static var fileSize: Int { 5 }

    @unsafe @inline(__always)
    mutating func put(_ call: StagedCall, at position: inout Int) {
        var bytes = unsafe mutableBytes
        unsafe bytes.storeBytes(of: call.name, toUncheckedByteOffset: position, as: UInt32.self)
        unsafe bytes.storeBytes(
            of: call.file, toUncheckedByteOffset: position &+ 4, as: UInt32.self)
        unsafe bytes.storeBytes(
            of: call.line, toUncheckedByteOffset: position &+ 8, as: UInt32.self)
        unsafe bytes.storeBytes(
            of: UInt16(truncatingIfNeeded: call.column), toUncheckedByteOffset: position &+ 12,
            as: UInt16.self)
        position &+= 14
        unsafe put(leb128: UInt64(call.distance), at: &position)
    }

    /// - Parameter saysFile: Whether the file changes.
    @unsafe @inline(__always)
    mutating func put(
        _ entry: StagedEntry, after before: StagedEntry, saysFile: Bool, at position: inout Int
    ) {
        unsafe put(leb128: entry.start &- before.start, at: &position)
        let line = Zigzag.folded(Int64(entry.line) &- Int64(before.line))
        let isLong = line >= IndexLayout.lineChangeFollows
        let short = isLong ? IndexLayout.lineChangeFollows : line
        unsafe put(
            byte: UInt8(truncatingIfNeeded: short << 2) | (entry.scope != before.scope ? 2 : 0)
                | (saysFile ? 1 : 0),
            at: &position)
        unsafe put(leb128: UInt64(entry.column), at: &position)
        if isLong { unsafe put(leb128: line, at: &position) }
        if entry.scope != before.scope {
            let change = Zigzag.folded(Int64(entry.scope) &- Int64(before.scope))
            unsafe put(leb128: change, at: &position)
        }
        if saysFile { unsafe put(leb128: UInt64(entry.file), at: &position) }
    }
}
