import Algorithms

extension CodeTile {
    /// Cuts overlapping tiles so that each byte has one owner.
    ///
    /// - Parameter candidates: Tiles in ascending order of start. The last one that covers a byte
    ///   owns it.
    /// - Returns: Ascending, disjoint tiles. A tile that is covered in its middle becomes two.
    static func disjoint(_ candidates: [CodeTile]) -> [CodeTile] {
        var tiling = OverlapSweep()
        for candidate in candidates where candidate.start < candidate.end {
            tiling.advance(to: candidate.start)
            tiling.open.append(candidate)
        }
        tiling.advance(to: .max)
        return tiling.tiles
    }

    /// Returns the parts of `lower` that `upper` does not cover. Both are ascending and disjoint.
    static func gaps(of upper: [CodeTile], filledBy lower: [CodeTile]) -> [CodeTile] {
        var pieces: [CodeTile] = []
        var next = 0
        for tile in lower {
            var start = tile.start
            while next < upper.count, upper[next].end <= start { next += 1 }
            var above = next
            while start < tile.end {
                let isSplit = above < upper.count && upper[above].start < tile.end
                let end = isSplit ? upper[above].start : tile.end
                if start < end {
                    pieces.append(CodeTile(start: start, end: end, owner: tile.owner))
                }
                guard isSplit else { break }
                start = upper[above].end
                above += 1
            }
            next = max(next, above - 1)
        }
        return pieces
    }

    /// Merges two ascending, disjoint lists.
    static func merged(_ left: [CodeTile], _ right: [CodeTile]) -> [CodeTile] {
        if right.isEmpty { return left }
        return (left + right).sorted { $0.start < $1.start }
    }
}

/// A sweep over candidates in order of start, with those that have not ended.
private struct OverlapSweep {
    var tiles: [CodeTile] = []
    /// The candidates seen so far. The last one that extends beyond `offset` owns the byte there.
    var open: [CodeTile] = []
    private var offset: UInt64 = 0

    init() {}

    mutating func advance(to limit: UInt64) {
        while offset < limit, let top = open.last {
            if top.end > offset {
                let end = min(top.end, limit)
                append(CodeTile(start: offset, end: end, owner: top.owner))
                offset = end
            }
            if top.end <= offset { open.removeLast() }
        }
        offset = limit
    }

    private mutating func append(_ tile: CodeTile) {
        if let last = tiles.indices.last, tiles[last].owner == tile.owner,
            tiles[last].end == tile.start
        {
            tiles[last].end = tile.end
        } else {
            tiles.append(tile)
        }
    }
}

extension [CodeTile] {
    /// Whether one of these ascending, disjoint tiles contains `offset`.
    func covers(_ offset: UInt64) -> Bool {
        let next = partitioningIndex { $0.end > offset }
        return next < count && self[next].start <= offset
    }
}
