import CallStacks

/// Writes header and sections into one file.
struct IndexWriter {
    let image: IndexedImage
    let notes: IndexNotes
    let digest: [UInt8]?
    let scale: Int
    let blocks: BlockWriter
    let scopes: ScopeWriter
    let names: NameWriter
    let files: FileWriter

    func bytes() throws(SymbolIndexError) -> [UInt8] {
        let buckets = BucketTable(blockStarts: blocks.starts, lastStart: blocks.lastStart)
        let isWide = blocks.lastStart > UInt64(UInt32.max)
        let sections = try sections(buckets, isWide: isWide)
        var header = header(buckets, isWide: isWide)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount(of: sections))
        bytes.append(contentsOf: repeatElement(0, count: IndexLayout.headerSize))
        for (section, content) in zip(IndexSection.allCases, sections) {
            let start = UInt64(bytes.count).alignedToSection
            bytes.append(contentsOf: repeatElement(0, count: Int(start) - bytes.count))
            header[section] = IndexHeader.Extent(offset: start, length: UInt64(content.count))
            bytes.append(contentsOf: content)
        }
        header[.checksums] = appendChecksums(to: &bytes)
        header.length = UInt64(bytes.count)
        bytes.replaceSubrange(0..<IndexLayout.headerSize, with: header.bytes)
        return bytes
    }

    /// Returns the size of a file with these sections and their checksums. An array that grew to
    /// this size would copy the whole file, and map its memory twice.
    private static func byteCount(of sections: [[UInt8]]) -> Int {
        let end = sections.reduce(UInt64(IndexLayout.headerSize)) {
            $0.alignedToSection + UInt64($1.count)
        }
        let checksums = end.alignedToSection
        return Int(checksums) + 4 * IndexChunks.count(inFirst: checksums)
    }

    /// Appends the checksums of all chunks after the header.
    private func appendChecksums(to bytes: inout [UInt8]) -> IndexHeader.Extent {
        let start = UInt64(bytes.count).alignedToSection
        bytes.append(contentsOf: repeatElement(0, count: Int(start) - bytes.count))
        let checksums = Self.bytes(of: IndexChunks.checksums(of: bytes.span))
        bytes.append(contentsOf: checksums)
        return IndexHeader.Extent(offset: start, length: UInt64(checksums.count))
    }

    /// Returns the sections in the order of the file, except the checksums. Throws if one is too
    /// long.
    private func sections(
        _ buckets: BucketTable, isWide: Bool
    ) throws(SymbolIndexError) -> [[UInt8]] {
        for pointedInto in [blocks.bytes, names.bytes, files.strings]
        where pointedInto.count > UInt32.max {
            throw SymbolIndexError(.tooLarge(what: "bytes", limit: UInt64(UInt32.max)))
        }
        var starts: [UInt8] = []
        starts.reserveCapacity(blocks.starts.count * (isWide ? 8 : 4))
        for start in blocks.starts {
            if isWide {
                starts.append(littleEndian: start)
            } else {
                starts.append(littleEndian: UInt32(start))
            }
        }
        return [
            Self.bytes(of: buckets.firstBlocks), starts, Self.bytes(of: blocks.offsets),
            blocks.bytes, scopes.bytes, names.groups, names.bytes, files.files, files.strings,
            blocks.wideColumns, notes.json,
        ]
    }

    private static func bytes(of numbers: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 4)
        for number in numbers { bytes.append(littleEndian: number) }
        return bytes
    }

    private func header(_ buckets: BucketTable, isWide: Bool) -> IndexHeader {
        var flags = blocks.flags
        if scopes.hasInlinedCalls { flags.insert(.inlines) }
        if isWide { flags.insert(.wideStarts) }
        if !notes.hasDebugInformation { flags.insert(.symbolTableOnly) }
        if notes.unitsFailed > 0 { flags.insert(.unitsFailed) }
        if notes.isOfSystem { flags.insert(.systemImage) }
        if notes.hasCompleteSymbols { flags.insert(.completeSymbols) }
        let counts = IndexShape.Counts(
            entries: blocks.entryCount, blocks: blocks.starts.count,
            buckets: buckets.firstBlocks.count, scopes: scopes.count, names: names.count,
            files: files.count, wideColumns: blocks.wideColumnCount)
        return IndexHeader(
            image: image, builderRevision: SymbolIndexBuilder.revision,
            digest: digest ?? [UInt8](repeating: 0, count: 32),
            shape: IndexShape(
                flags: flags, scale: scale, bucketShift: buckets.shift, counts: counts,
                record: scopes.record))
    }
}
