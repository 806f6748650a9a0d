// Assembly sources, and functions that the compiler merged, have rows and no function. Those rows are
// used where a symbol covers the code. Elsewhere they are padding, and padding is not found.

extension SymbolIndexBuilder {
    /// The sequences of rows, each byte with one owner: of those that cover it, the one with the
    /// greatest start.
    func sequenceTiles() -> [CodeTile] {
        let sorted = sequences.indices.sorted { left, right in
            let (left, right) = (sequences[left], sequences[right])
            if left.start != right.start { return left.start < right.start }
            if left.end != right.end { return left.end > right.end }
            return rows[left.rows].lexicographicallyPrecedes(rows[right.rows]) {
                precedes($0, $1)
            }
        }
        let tiles = sorted.map { index in
            CodeTile(
                start: sequences[index].start, end: sequences[index].end, owner: UInt32(index))
        }
        return CodeTile.disjoint(tiles)
    }

    /// Appends entries for all of `tile`: rows where there are some, else the scope alone.
    func collectRows(
        of tile: CodeTile, _ cursor: inout RowTileCursor, into entries: inout [StagedEntry]
    ) {
        var place = tile.start
        while place < tile.end {
            let (sequence, end) = cursor.sequence(at: place)
            let limit = min(end, tile.end)
            if let sequence {
                collectRows(of: sequences[sequence], from: place, to: limit, into: &entries)
            } else {
                entries.append(
                    StagedEntry(start: place, scope: 0, file: 0, line: 0, column: 0))
            }
            place = limit
        }
    }

    private func collectRows(
        of sequence: RowSequence, from start: UInt64, to end: UInt64,
        into entries: inout [StagedEntry]
    ) {
        let rows = sequence.rows
        var index = rows.lowerBound
        var high = rows.upperBound
        while high - index > 1 {
            let middle = (index + high) / 2
            if self.rows[middle].start <= start { index = middle } else { high = middle }
        }
        var place = start
        while place < end {
            var entry = self.rows[index]
            entry.start = place
            entries.append(entry)
            index += 1
            place = index < rows.upperBound ? max(self.rows[index].start, place) : end
        }
    }

    private func precedes(_ left: StagedEntry, _ right: StagedEntry) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.line != right.line { return left.line < right.line }
        if left.column != right.column { return left.column < right.column }
        if left.file == 0 || right.file == 0 { return left.file < right.file }
        return files.precedes(left.file - 1, right.file - 1)
    }
}

/// Finds the sequence of rows at places that only grow.
struct RowTileCursor {
    private let tiles: [CodeTile]
    private var next = 0

    init(_ tiles: [CodeTile]) { self.tiles = tiles }

    /// The sequence at `place`, if there is one, and where that ends to be so.
    mutating func sequence(at place: UInt64) -> (sequence: Int?, end: UInt64) {
        while next < tiles.count, tiles[next].end <= place { next += 1 }
        guard next < tiles.count else { return (nil, .max) }
        if tiles[next].start > place { return (nil, tiles[next].start) }
        return (Int(tiles[next].owner), tiles[next].end)
    }
}
