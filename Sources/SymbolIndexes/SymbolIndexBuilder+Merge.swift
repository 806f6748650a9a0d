extension SymbolIndexBuilder {
    /// Takes what another builder for the same image was given.
    ///
    /// Several threads fill a builder each; merged in any order, they give the same bytes as one
    /// builder that was given everything.
    public mutating func merge(_ other: consuming Self) {
        let counts = [
            entries.count + other.entries.count, scopes.count + other.scopes.count,
            rows.count + other.rows.count,
        ]
        guard counts.allSatisfy({ $0 <= entryLimit }) else {
            excess = SymbolIndexError(.tooLarge(what: "entries", limit: UInt64(entryLimit)))
            return
        }
        let nameNumbers = names.merge(other.names)
        // Files count from 1 in entries and scopes, and 0 stays none.
        let fileNumbers = [0] + files.merge(other.files).map { $0 + 1 }
        takeParts(of: other, names: nameNumbers)
        takeSequences(of: other)
        scopes += other.scopes.lazy.map { scope in
            var scope = scope
            scope.name = nameNumbers[Int(scope.name)]
            scope.file = fileNumbers[Int(scope.file)]
            return scope
        }
        entries += Self.renumbered(other.entries, files: fileNumbers)
        rows += Self.renumbered(other.rows, files: fileNumbers)
        symbols += other.symbols.lazy.map { symbol in
            var symbol = symbol
            symbol.name = nameNumbers[Int(symbol.name)]
            return symbol
        }
        functionStarts += other.functionStarts
        functionsCutFlat += other.functionsCutFlat
        excess = excess ?? other.excess
    }

    private mutating func takeParts(of other: borrowing Self, names: [UInt32]) {
        for part in other.parts {
            var part = part
            part.name = names[Int(part.name)]
            part.firstScope += UInt32(scopes.count)
            part.firstEntry += UInt32(entries.count)
            parts.append(part)
        }
    }

    private mutating func takeSequences(of other: borrowing Self) {
        for sequence in other.sequences {
            var sequence = sequence
            sequence.firstRow += UInt32(rows.count)
            sequences.append(sequence)
        }
    }

    private static func renumbered(
        _ entries: [StagedEntry], files: [UInt32]
    ) -> some Collection<StagedEntry> {
        entries.lazy.map { entry in
            var entry = entry
            entry.file = files[Int(entry.file)]
            return entry
        }
    }
}
