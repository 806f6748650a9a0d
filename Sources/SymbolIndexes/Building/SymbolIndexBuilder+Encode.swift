import CallStacks

extension SymbolIndexBuilder {
    /// The builder revision, which is raised whenever the same records result in other lookup
    /// results or another format.
    public static let revision: UInt16 = 9

    /// Returns the bytes of the index.
    ///
    /// - Parameter debugFileDigest: The SHA-256 of the debug file, 32 bytes, if it is stored.
    /// - Throws: ``SymbolIndexError`` if a limit of the format is exceeded.
    public consuming func encode(
        notes: IndexNotes, debugFileDigest: [UInt8]? = nil
    ) throws(SymbolIndexError) -> [UInt8] {
        let code = try encodeCode()
        return try finish(
            code, nameOrder: names.numbersInOrder(), notes: notes, digest: debugFileDigest)
    }

    /// Returns the bytes of one index with the records of several builders for the same image.
    ///
    /// The bytes are those of a single builder, however the records were distributed. Names are
    /// sorted in a separate task, concurrently with encoding the code.
    ///
    /// - Parameters:
    ///   - builders: The builders, at least one.
    ///   - debugFileDigest: The SHA-256 of the debug file, 32 bytes, if it is stored.
    /// - Throws: ``SymbolIndexError`` if a limit of the format is exceeded.
    public static func encode(
        _ builders: consuming [Self], notes: IndexNotes, debugFileDigest: [UInt8]? = nil
    ) async throws(SymbolIndexError) -> [UInt8] {
        guard var builder = builders.popLast() else { preconditionFailure("builders is empty") }
        while let other = builders.popLast() { builder.merge(other) }
        let names = builder.names
        async let nameOrder = names.numbersInOrder()
        let code = try builder.encodeCode()
        return try await builder.finish(
            code, nameOrder: nameOrder, notes: notes, digest: debugFileDigest)
    }

    /// Encodes everything that does not depend on the order of names.
    private mutating func encodeCode() throws(SymbolIndexError) -> EncodedCode {
        try checkSize()
        let tiles = cover()
        pools[0].names = Array(0..<UInt32(names.count))
        pools[0].files = Array(0...UInt32(files.entries.count))
        let numbering = try numberedScopes(tiles)
        let startBits = tiles.reduce(numbering.startBits) { $0 | $1.start | $1.end }
        let scale = startBits & 3 == 0 ? 2 : 0
        let (files, fileNumbers) = writtenFiles(numbering)
        return EncodedCode(
            numbering: numbering, scale: scale, files: files, fileNumbers: fileNumbers,
            blocks: try writtenBlocks(
                tiles, numbering: numbering, fileNumbers: fileNumbers, scale: scale))
    }

    private mutating func finish(
        _ code: EncodedCode, nameOrder: [UInt32], notes: IndexNotes, digest: [UInt8]?
    ) throws(SymbolIndexError) -> [UInt8] {
        precondition(digest.map { $0.count == 32 } ?? true, "a SHA-256 has 32 bytes")
        let (writtenNames, nameNumbers) = writtenNames(code.numbering, order: nameOrder)
        names = ByteInterner()
        let scopes = try ScopeWriter(
            self, numbering: code.numbering, names: nameNumbers, files: code.fileNumbers,
            scale: code.scale)
        pools = []
        parts = []
        var notes = notes.inOrder
        if functionsCutFlat > 0 {
            notes.warnings.append(
                "inlined calls nest deeper than \(IndexLimits.inlineDepth) in \(functionsCutFlat)"
                    + " functions: kept without them")
        }
        let writer = IndexWriter(
            image: image, notes: notes, digest: digest, scale: code.scale, blocks: code.blocks,
            scopes: scopes, names: writtenNames, files: code.files)
        return try writer.bytes()
    }

    private func checkSize() throws(SymbolIndexError) {
        if let excess { throw excess }
        if names.isFull || files.texts.isFull {
            throw SymbolIndexError(
                .tooLarge(what: "bytes of names", limit: UInt64(IndexLimits.textBytes)))
        }
    }

    private func numberedScopes(_ tiles: [CodeTile]) throws(SymbolIndexError) -> ScopeNumbering {
        var numbering = ScopeNumbering(self)
        for tile in tiles where !numbering.hasNumbered(tile.owner) {
            let part = parts[Int(tile.owner)]
            numbering.number(tile.owner, part: part, in: pools[Int(part.content.pool)])
            guard numbering.scopeCount <= scopeLimit else {
                throw SymbolIndexError(.tooLarge(what: "scopes", limit: UInt64(scopeLimit)))
            }
        }
        return numbering
    }

    /// Returns the names that scopes use, in ascending order, and the new number of each name of
    /// the builder.
    private func writtenNames(
        _ numbering: ScopeNumbering, order: [UInt32]
    ) -> (NameWriter, [UInt32]) {
        var writer = NameWriter(room: names.bytesKept)
        var numbers = [UInt32](repeating: 0, count: names.count)
        for name in order where numbering.usesName[Int(name)] {
            numbers[Int(name)] = UInt32(writer.count)
            writer.append(name, of: names)
        }
        return (writer, numbers)
    }

    /// Returns the files that entries and scopes use, in ascending order, and for each file + 1 the
    /// new number + 1.
    private func writtenFiles(_ numbering: ScopeNumbering) -> (FileWriter, [UInt32]) {
        var writer = FileWriter(textCount: files.texts.count)
        var numbers = [UInt32](repeating: 0, count: files.entries.count + 1)
        for file in files.numbersInOrder() where numbering.uses(file: file + 1) {
            writer.append(files.entries[Int(file)], of: files.texts)
            numbers[Int(file) + 1] = UInt32(writer.count)
        }
        return (writer, numbers)
    }

    private func writtenBlocks(
        _ tiles: [CodeTile], numbering: ScopeNumbering, fileNumbers: [UInt32], scale: Int
    ) throws(SymbolIndexError) -> BlockWriter {
        var writer = TileWriter(self, numbering: numbering, files: fileNumbers, scale: scale)
        var end = tiles.first?.start
        for tile in tiles {
            if let end, end < tile.start { writer.appendGap(at: end) }
            writer.append(tile)
            end = tile.end
            guard writer.blocks.entryCount < entryLimit else {
                throw SymbolIndexError(.tooLarge(what: "entries", limit: UInt64(entryLimit)))
            }
        }
        if let end { writer.appendGap(at: end) }
        writer.finish()
        return writer.blocks
    }
}

/// The code, encoded before names have numbers.
private struct EncodedCode {
    let numbering: ScopeNumbering
    let scale: Int
    let files: FileWriter
    /// For each file of the builder + 1, its number in the index + 1.
    let fileNumbers: [UInt32]
    let blocks: BlockWriter
}
