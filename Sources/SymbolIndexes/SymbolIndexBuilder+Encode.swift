import CallStacks

extension SymbolIndexBuilder {
    /// The builder revision that is written: raised whenever the same records give other answers.
    public static let revision: UInt16 = 2

    /// The bytes of the index.
    ///
    /// - Parameter debugFileDigest: The SHA-256 of the debug file, 32 bytes, if it is stored.
    /// - Throws: If there is more than the format can number.
    public consuming func encode(
        notes: IndexNotes, debugFileDigest: [UInt8]? = nil
    ) throws(SymbolIndexError) -> [UInt8] {
        precondition(debugFileDigest.map { $0.count == 32 } ?? true, "a SHA-256 has 32 bytes")
        try checkSize()
        let tiles = cover()
        var numbering = ScopeNumbering(self)
        var isNumbered = [Bool](repeating: false, count: parts.count)
        var startBits: UInt64 = 0
        for tile in tiles {
            startBits |= tile.start | tile.end
            if isNumbered[Int(tile.owner)] { continue }
            isNumbered[Int(tile.owner)] = true
            numbering.number(parts[Int(tile.owner)], of: &self)
            guard numbering.scopes.count <= scopeLimit else {
                throw SymbolIndexError(.tooLarge(what: "scopes", limit: UInt64(scopeLimit)))
            }
        }
        let scale = (startBits | numbering.startBits) & 3 == 0 ? 2 : 0
        let (names, nameNumbers) = writtenNames(numbering)
        let (files, fileNumbers) = writtenFiles(numbering)
        let blocks = try writtenBlocks(tiles, fileNumbers, scale: scale)
        let scopes = try ScopeWriter(
            numbering, names: nameNumbers, files: fileNumbers, scale: scale)
        var notes = notes.inOrder
        if functionsCutFlat > 0 {
            notes.warnings.append(
                "inlined calls nest deeper than \(IndexLimits.inlineDepth) in \(functionsCutFlat)"
                    + " functions: kept without them")
        }
        let writer = IndexWriter(
            image: image, notes: notes, digest: debugFileDigest, scale: scale, blocks: blocks,
            scopes: scopes, names: names, files: files)
        return try writer.bytes()
    }

    private func checkSize() throws(SymbolIndexError) {
        if let excess { throw excess }
        if names.isFull || files.texts.isFull {
            throw SymbolIndexError(
                .tooLarge(what: "bytes of names", limit: UInt64(IndexLimits.textBytes)))
        }
    }

    /// The names that scopes use, ascending, and for each name of the builder its new number.
    private func writtenNames(_ numbering: ScopeNumbering) -> (NameWriter, [UInt32]) {
        var writer = NameWriter()
        var numbers = [UInt32](repeating: 0, count: names.count)
        for name in names.numbersInOrder() where numbering.usesName[Int(name)] {
            numbers[Int(name)] = UInt32(writer.count)
            writer.append(names.range(of: name), of: names.bytes)
        }
        return (writer, numbers)
    }

    /// The files that entries and scopes use, ascending, and for each file + 1 the new number + 1.
    private func writtenFiles(_ numbering: ScopeNumbering) -> (FileWriter, [UInt32]) {
        var writer = FileWriter(textCount: files.texts.count)
        var numbers = [UInt32](repeating: 0, count: files.entries.count + 1)
        for file in files.numbersInOrder() where numbering.usesFile[Int(file) + 1] {
            writer.append(files.entries[Int(file)], of: files.texts)
            numbers[Int(file) + 1] = UInt32(writer.count)
        }
        return (writer, numbers)
    }

    private func writtenBlocks(
        _ tiles: [CodeTile], _ fileNumbers: [UInt32], scale: Int
    ) throws(SymbolIndexError) -> BlockWriter {
        var writer = BlockWriter(scale: scale)
        var end = tiles.first?.start
        for tile in tiles {
            if let end, end < tile.start { writer.appendGap(at: end) }
            write(tile, fileNumbers, to: &writer)
            end = tile.end
            guard writer.entryCount < entryLimit else {
                throw SymbolIndexError(.tooLarge(what: "entries", limit: UInt64(entryLimit)))
            }
        }
        if let end { writer.appendGap(at: end) }
        writer.finish()
        return writer
    }

    /// Writes what the owner of a tile says about it.
    private func write(_ tile: CodeTile, _ fileNumbers: [UInt32], to writer: inout BlockWriter) {
        let range = parts[Int(tile.owner)].entries
        var index = range.lowerBound
        var high = range.upperBound
        while high - index > 1 {
            let middle = (index + high) / 2
            if entries[middle].start <= tile.start { index = middle } else { high = middle }
        }
        while index < range.upperBound, entries[index].start < tile.end {
            var entry = entries[index]
            entry.start = max(entry.start, tile.start)
            entry.file = fileNumbers[Int(entry.file)]
            writer.append(entry)
            index += 1
        }
    }
}
