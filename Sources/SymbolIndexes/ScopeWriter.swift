/// Packs scopes into as few bits as the greatest numbers among them need.
struct ScopeWriter {
    let record: ScopeRecord
    let count: Int
    let hasInlinedCalls: Bool
    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - names: For each name of the builder its number.
    ///   - files: For each file of the builder + 1 its number + 1.
    init(
        _ numbering: ScopeNumbering, names: [UInt32], files: [UInt32], scale: Int
    ) throws(SymbolIndexError) {
        record = try Self.record(numbering, names: names, files: files, scale: scale)
        count = numbering.scopes.count
        hasInlinedCalls = numbering.functionStarts.count < count
        bytes.reserveCapacity(count * record.size + IndexLayout.scopePadding)
        var starts = numbering.functionStarts.makeIterator()
        for scope in numbering.scopes {
            let site =
                scope.distance == 0
                ? (starts.next() ?? 0) >> UInt64(scale)
                : record.site(
                    file: UInt64(files[Int(scope.file)]), line: UInt64(scope.line),
                    column: record.fits(column: scope.column) ? UInt64(scope.column) : 0)
            append(
                ScopeRecord.Fields(
                    distance: UInt64(scope.distance), name: UInt64(names[Int(scope.name)]),
                    site: site))
        }
        bytes.append(contentsOf: repeatElement(0, count: IndexLayout.scopePadding))
    }

    private mutating func append(_ fields: ScopeRecord.Fields) {
        var rest = record.packed(fields)
        for _ in 0..<record.size {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private static func record(
        _ numbering: ScopeNumbering, names: [UInt32], files: [UInt32], scale: Int
    ) throws(SymbolIndexError) -> ScopeRecord {
        // Numbers are combined by "or", which needs as many bits as the greatest of them.
        var all = StagedScope(distance: 0, name: 0, file: 0, line: 0, column: 0)
        for scope in numbering.scopes {
            all.distance |= scope.distance
            all.name |= names[Int(scope.name)]
            all.file |= files[Int(scope.file)]
            all.line |= scope.line
            all.column |= scope.column
        }
        var record = ScopeRecord()
        record.distanceBits = all.distance.bitsNeeded
        record.nameBits = all.name.bitsNeeded
        record.fileBits = all.file.bitsNeeded
        record.lineBits = all.line.bitsNeeded
        // Files and lines come first: a column that finds no room is none.
        let columnRoom = max(0, UInt64.bitWidth - record.siteBits)
        record.columnBits = min(all.column.bitsNeeded, columnRoom)
        let starts = numbering.functionStarts.reduce(0, |) >> UInt64(scale)
        record.lineBits += max(0, starts.bitsNeeded - record.siteBits)
        record.size = max(1, (record.bits + 7) / 8)
        guard record.bits <= IndexLayout.scopeBitsLimit, record.siteBits <= UInt64.bitWidth else {
            throw SymbolIndexError(
                .tooLarge(what: "bits in a scope", limit: UInt64(IndexLayout.scopeBitsLimit)))
        }
        return record
    }
}
