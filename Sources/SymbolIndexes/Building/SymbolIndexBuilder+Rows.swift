import Algorithms

// Assembly sources, and functions that the compiler merged, have rows but no function. Their rows
// are used if a symbol covers the code. Otherwise, they are unnamed code or padding: a row's start
// is code, and the part of a row that extends beyond other code is padding, for which lookups
// return nothing.

extension SymbolIndexBuilder {
    /// Returns the sequences of rows as disjoint tiles. Each byte is owned by the covering sequence
    /// with the greatest start.
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

    /// Appends entries for all of `tile`, with the file and line of rows if there are any.
    func collectRows(
        of tile: CodeTile, cursor: inout RowTileCursor, into entries: inout [StagedEntry]
    ) {
        var offset = tile.start
        while offset < tile.end {
            let (sequence, end) = cursor.sequence(at: offset)
            let limit = min(end, tile.end)
            if let sequence {
                collectRows(of: sequences[sequence], from: offset, to: limit, into: &entries)
            } else {
                entries.append(
                    StagedEntry(start: offset, scope: 0, file: 0, line: 0, column: 0))
            }
            offset = limit
        }
    }

    private func collectRows(
        of sequence: RowSequence, from start: UInt64, to end: UInt64,
        into entries: inout [StagedEntry]
    ) {
        var index = row(of: sequence, at: start)
        var offset = start
        while offset < end {
            var entry = rows[index]
            entry.start = offset
            entries.append(entry)
            index += 1
            offset = index < sequence.rows.upperBound ? max(rows[index].start, offset) : end
        }
    }

    /// Returns the start of the first row with a line in a tile that a sequence owns, or `nil` if
    /// the tile is padding.
    func firstRow(in tile: CodeTile) -> UInt64? {
        let sequence = sequences[Int(tile.owner)]
        for row in rows[row(of: sequence, at: tile.start)..<sequence.rows.upperBound] {
            if row.start >= tile.end { return nil }
            if row.start >= tile.start, row.line > 0, row.file != 0 { return row.start }
        }
        return nil
    }

    /// Returns the last row of a sequence that starts at or before `offset`, or else its first row.
    private func row(of sequence: RowSequence, at offset: UInt64) -> Int {
        let next = rows[sequence.rows].partitioningIndex { $0.start > offset }
        return max(next - 1, sequence.rows.lowerBound)
    }

    private func precedes(_ left: StagedEntry, _ right: StagedEntry) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.line != right.line { return left.line < right.line }
        if left.column != right.column { return left.column < right.column }
        if left.file == 0 || right.file == 0 { return left.file < right.file }
        return files.precedes(left.file - 1, right.file - 1)
    }
}

/// Finds the sequence of rows at ascending positions.
struct RowTileCursor {
    private let tiles: [CodeTile]
    private var next = 0

    init(_ tiles: [CodeTile]) { self.tiles = tiles }

    /// Returns the sequence at `offset`, if there is one, and the position up to which the result is
    /// valid.
    mutating func sequence(at offset: UInt64) -> (sequence: Int?, end: UInt64) {
        while next < tiles.count, tiles[next].end <= offset { next += 1 }
        guard next < tiles.count else { return (nil, .max) }
        if tiles[next].start > offset { return (nil, tiles[next].start) }
        return (Int(tiles[next].owner), tiles[next].end)
    }
}
