/// Packs scopes into the number of bits that their greatest values need.
struct ScopeWriter {
    let record: ScopeRecord
    let count: Int
    let hasInlinedCalls: Bool
    private(set) var bytes: [UInt8]

    /// - Parameters:
    ///   - names: For each name of the builder, its number in the index.
    ///   - files: For each file of the builder + 1, its number + 1.
    init(
        _ builder: borrowing SymbolIndexBuilder, numbering: ScopeNumbering, names: [UInt32],
        files: [UInt32], scale: Int
    ) throws(SymbolIndexError) {
        record = try Self.record(numbering, names: names, files: files, scale: scale)
        count = numbering.scopeCount
        hasInlinedCalls = numbering.parts.count < count
        bytes = Array(repeating: 0, count: count * record.size + IndexLayout.scopePadding)
        let pools = builder.pools.map { $0.renumbered(names: names, files: files) }
        var position = 0
        for index in numbering.parts {
            let part = builder.parts[Int(index)]
            write(
                ScopeRecord.Fields(
                    distance: 0, name: UInt64(names[Int(part.name)]),
                    site: part.start >> UInt64(scale)),
                at: &position)
            if part.content.callCount > 0 {
                writeCalls(of: part.content, in: pools[Int(part.content.pool)], at: &position)
            }
        }
    }

    private mutating func writeCalls(
        of part: StagedPart, in pool: StagedPool, at position: inout Int
    ) {
        let chunk = pool.bytes.chunks[Int(part.chunk)]
        let source = chunk.span
        let names = pool.names.span
        let files = pool.files.span
        var next = Int(part.firstCall)
        for _ in 0..<part.callCount {
            let call = unsafe source.call(at: &next)
            write(
                ScopeRecord.Fields(
                    distance: UInt64(call.distance), name: UInt64(names[Int(call.name)]),
                    site: record.site(
                        file: UInt64(files[Int(call.file)]), line: UInt64(call.line),
                        column: record.fits(column: call.column) ? UInt64(call.column) : 0)),
                at: &position)
        }
    }

    /// Writes sixteen bytes. The next record overwrites those after this one.
    @inline(__always)
    private mutating func write(_ fields: ScopeRecord.Fields, at position: inout Int) {
        let packed = record.packed(fields).littleEndian
        unsafe bytes.withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: packed, toByteOffset: position, as: UInt128.self)
        }
        position += record.size
    }

    private static func record(
        _ numbering: ScopeNumbering, names: [UInt32], files: [UInt32], scale: Int
    ) throws(SymbolIndexError) -> ScopeRecord {
        var record = ScopeRecord()
        record.distanceBits = numbering.callBits.distance.bitsNeeded
        record.nameBits = greatest(names, where: numbering.usesName).bitsNeeded
        record.fileBits = greatest(files, where: numbering.usesFileInCalls).bitsNeeded
        record.lineBits = numbering.callBits.line.bitsNeeded
        // Files and lines take precedence: a column without room is dropped.
        let columnRoom = max(0, UInt64.bitWidth - record.siteBits)
        record.columnBits = min(numbering.callBits.column.bitsNeeded, columnRoom)
        let starts = numbering.functionStartBits >> UInt64(scale)
        record.lineBits += max(0, starts.bitsNeeded - record.siteBits)
        record.size = max(1, (record.bits + 7) / 8)
        guard record.bits <= IndexLayout.scopeBitsLimit, record.siteBits <= UInt64.bitWidth else {
            throw SymbolIndexError(
                .tooLarge(what: "bits in a scope", limit: UInt64(IndexLayout.scopeBitsLimit)))
        }
        return record
    }

    private static func greatest(_ numbers: [UInt32], where isUsed: [Bool]) -> UInt32 {
        zip(numbers, isUsed).reduce(0) { $1.1 ? max($0, $1.0) : $0 }
    }
}
