/// Writes the entries of tiles from their owners' parts, in ascending order.
///
/// A part may have several tiles. Reading a part stops where a tile ends, and resumes with the
/// part's next tile. So a function with a thousand others inside it is read once, not a thousand
/// times, and so is its list of files.
struct TileWriter {
    private(set) var blocks: BlockWriter
    private let parts: [CodePart]
    /// For each part, the number of its first scope.
    private let firstScopes: [UInt32]
    private let pools: [StagedPool]
    /// For each file of the builder + 1 its number + 1.
    private let fileNumbers: [UInt32]
    /// The files of the current part, by the numbers of the index.
    private var files: [UInt32] = []
    private var stops: [UInt32: Stop] = [:]

    /// The position where reading of a part stopped.
    private struct Stop {
        /// The last entry read, and the position of the next one.
        var entry: StagedEntry
        var position: Int
        var entriesLeft: UInt32
        /// The files of the part, while another part is read.
        var files: [UInt32] = []

        /// Creates the position after the first entry of a part, which each part has.
        init(of part: CodePart, source: Span<UInt8>) {
            entry = StagedEntry(start: part.start, scope: 0, file: 0, line: 0, column: 0)
            position = Int(part.content.firstEntry)
            unsafe source.advance(&entry, at: &position)
            entriesLeft = part.content.entryCount - 1
        }
    }

    /// - Parameter files: For each file of the builder + 1 its number + 1.
    init(
        _ builder: borrowing SymbolIndexBuilder, numbering: ScopeNumbering, files: [UInt32],
        scale: Int
    ) {
        blocks = BlockWriter(scale: scale, room: builder.entryCount)
        parts = builder.parts
        firstScopes = numbering.firstScopes
        pools = builder.pools
        fileNumbers = files
    }

    mutating func appendGap(at start: UInt64) { blocks.appendGap(at: start) }

    mutating func finish() { blocks.finish() }

    mutating func append(_ tile: CodeTile) {
        let part = parts[Int(tile.owner)]
        let firstScope = firstScopes[Int(tile.owner)]
        let chunk = pools[Int(part.content.pool)].bytes.chunks[Int(part.content.chunk)]
        let source = chunk.span
        let stop = stops.isEmpty ? nil : stops.removeValue(forKey: tile.owner)
        var read = stop ?? Stop(of: part, source: source)
        if stop == nil {
            collectFiles(of: part.content, source: source)
        } else {
            swap(&read.files, &files)
        }
        Self.write(
            tile, source: source, from: &read, firstScope: firstScope, files: files, to: &blocks)
        if tile.end < part.end {
            // Moved, because a shared list would be allocated again for the next part.
            swap(&read.files, &files)
            stops[tile.owner] = read
        }
    }

    private static func write(
        _ tile: CodeTile, source: Span<UInt8>, from read: inout Stop, firstScope: UInt32,
        files: [UInt32], to blocks: inout BlockWriter
    ) {
        let files = files.span
        var (entry, next) = (read.entry, read.entry)
        var (position, entriesLeft) = (read.position, read.entriesLeft)
        while true {
            let positionOfNext = position
            if entriesLeft > 0 {
                unsafe source.advance(&next, at: &position)
            } else {
                next.start = .max
            }
            if next.start > tile.start {
                var numbered = entry
                numbered.start = max(entry.start, tile.start)
                numbered.scope &+= firstScope
                numbered.file = files[Int(entry.file)]
                blocks.append(numbered)
            }
            if next.start >= tile.end {
                (read.entry, read.position) = (entry, positionOfNext)
                read.entriesLeft = entriesLeft
                return
            }
            entry = next
            entriesLeft &-= 1
        }
    }

    private mutating func collectFiles(
        of part: StagedPart, source: Span<UInt8>
    ) {
        files.removeAll(keepingCapacity: true)
        var position = Int(part.firstFile)
        for _ in 0..<part.fileCount {
            let file = unsafe Int(source.leb128(at: &position))
            files.append(fileNumbers[Int(pools[Int(part.pool)].files[file])])
        }
    }
}
