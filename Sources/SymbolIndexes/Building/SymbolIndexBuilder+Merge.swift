extension SymbolIndexBuilder {
    /// Adds the records of another builder for the same image.
    ///
    /// Several threads each fill a builder; merged in any order, they result in the same bytes as
    /// one builder with all records. The bytes of parts, which are most of the data, are not
    /// copied: only names, files and one record per function are processed.
    public mutating func merge(_ other: consuming Self) {
        let counts = [
            entryCount + other.entryCount, rows.count + other.rows.count,
            parts.count + other.parts.count,
        ]
        guard counts.allSatisfy({ $0 <= entryLimit }) else {
            excess = SymbolIndexError(.tooLarge(what: "entries", limit: UInt64(entryLimit)))
            return
        }
        guard callCount + other.callCount <= callLimit else {
            excess = SymbolIndexError(.tooLarge(what: "scopes", limit: UInt64(scopeLimit)))
            return
        }
        let nameNumbers = names.merge(other.names)
        // Files count from 1 in entries and calls, and 0 stays none.
        let fileNumbers = [0] + files.merge(other.files).map { $0 + 1 }
        takeParts(of: other, names: nameNumbers)
        takePools(of: other, names: nameNumbers, files: fileNumbers)
        takeSequences(of: other, files: fileNumbers)
        symbols += other.symbols.lazy.map { symbol in
            var symbol = symbol
            symbol.name = nameNumbers[Int(symbol.name)]
            return symbol
        }
        functionStarts += other.functionStarts
        entryCount += other.entryCount
        callCount += other.callCount
        functionsCutFlat += other.functionsCutFlat
        excess = excess ?? other.excess
    }

    private mutating func takeParts(of other: borrowing Self, names: [UInt32]) {
        parts.reserveCapacity(parts.count + other.parts.count)
        for part in other.parts {
            var part = part
            part.name = names[Int(part.name)]
            part.content.pool += UInt32(pools.count)
            parts.append(part)
        }
    }

    private mutating func takePools(
        of other: borrowing Self, names: [UInt32], files: [UInt32]
    ) {
        for (index, pool) in other.pools.enumerated() {
            // The first pool has the other builder's own numbers.
            pools.append(
                StagedPool(
                    bytes: pool.bytes,
                    names: index == 0 ? names : pool.names.map { names[Int($0)] },
                    files: index == 0 ? files : pool.files.map { files[Int($0)] }))
        }
    }

    private mutating func takeSequences(of other: borrowing Self, files: [UInt32]) {
        for sequence in other.sequences {
            var sequence = sequence
            sequence.firstRow += UInt32(rows.count)
            sequences.append(sequence)
        }
        rows += other.rows.lazy.map { row in
            var row = row
            row.file = files[Int(row.file)]
            return row
        }
    }
}
