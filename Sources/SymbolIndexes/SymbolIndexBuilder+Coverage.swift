import CallStacks

// Who owns each byte of code: functions first, then symbols, then assembly labels. Within a layer the
// piece with the greatest start wins, then the one with the smallest end.

extension SymbolIndexBuilder {
    /// Names the parts after their symbols, adds parts for what only symbols cover, and says which
    /// part owns which code: ascending and disjoint.
    mutating func cover() -> [CodeTile] {
        let ranks = names.ranks()
        let table = SymbolTable(symbols, ranks: ranks)
        let functions = functionTiles(table, ranks: ranks)
        namePartsAfterSymbols(table)
        let stops = SymbolStops(self, table)
        let named = CodeTile.gaps(
            of: functions,
            filledBy: symbolTiles(table, stops, over: functions, areLabels: false))
        let covered = CodeTile.merged(functions, named)
        let labelled = CodeTile.gaps(
            of: covered,
            filledBy: symbolTiles(table, stops, over: covered, areLabels: true))
        return CodeTile.merged(
            functions, addParts(for: CodeTile.merged(named, labelled), of: table))
    }

    /// Among functions that agree in start and end, as folded code and copies of templates do, the
    /// one whose linkage name is a symbol there wins, then the one first in the debug information.
    private func functionTiles(_ table: SymbolTable, ranks: [UInt32]) -> [CodeTile] {
        struct Candidate {
            var tile: CodeTile
            var isSymbol: Bool
            var order: UInt64
            var nameRank: UInt32
        }
        let candidates = parts.indices.map { index in
            let part = parts[index]
            return Candidate(
                tile: CodeTile(start: part.start, end: part.end, owner: UInt32(index)),
                isSymbol: table.holds(part.name, at: part.start), order: part.order,
                nameRank: ranks[Int(part.name)])
        }
        let sorted = candidates.sorted { left, right in
            if left.tile.start != right.tile.start { return left.tile.start < right.tile.start }
            if left.tile.end != right.tile.end { return left.tile.end > right.tile.end }
            if left.isSymbol != right.isSymbol { return right.isSymbol }
            if left.order != right.order { return left.order > right.order }
            return left.nameRank > right.nameRank
        }
        return CodeTile.disjoint(sorted.map(\.tile))
    }

    /// Names such as `.cold.1` and `OUTLINED_FUNCTION_3` are only in the symbol table. But of several
    /// symbols at one place, one that the function itself is named after must stay: else folded
    /// code would get one function's name and another one's file.
    private mutating func namePartsAfterSymbols(_ table: SymbolTable) {
        for index in parts.indices {
            let part = parts[index]
            guard !table.holds(part.name, at: part.start) else { continue }
            if let name = table.name(at: part.start, acceptingLabels: part.name == 0) {
                parts[index].name = name
            }
        }
    }

    /// The code of symbols, or of labels, each byte with the index of its symbol.
    ///
    /// - Parameter better: The code that functions, or functions and symbols, own already.
    private func symbolTiles(
        _ table: SymbolTable, _ stops: SymbolStops, over better: [CodeTile], areLabels: Bool
    ) -> [CodeTile] {
        var candidates: [CodeTile] = []
        for (index, symbol) in table.symbols.enumerated() where symbol.isLabel == areLabels {
            guard let section = layout.section(containing: ImageOffset(symbol.start)) else {
                continue
            }
            let limit = section.upperBound.rawValue
            var end = min(symbol.end ?? limit, limit)
            if symbol.end == nil {
                // A Mach-O symbol has no size, so the padding behind its function is its own. A label
                // within better code is not even a name.
                if areLabels, better.covers(symbol.start) { continue }
                end = min(end, stops.next(after: symbol.start, includingLabels: areLabels))
            }
            if symbol.start < end {
                candidates.append(
                    CodeTile(start: symbol.start, end: end, owner: UInt32(index)))
            }
        }
        // Of two for the same bytes the better one comes last: symbols are sorted best first.
        candidates.sort { left, right in
            if left.start != right.start { return left.start < right.start }
            return left.end != right.end ? left.end > right.end : left.owner > right.owner
        }
        return CodeTile.disjoint(candidates)
    }

    /// Makes a part of each tile whose owner is a symbol; the tiles returned are owned by the parts.
    private mutating func addParts(
        for tiles: [CodeTile], of table: SymbolTable
    ) -> [CodeTile] {
        var cursor = RowTileCursor(sequenceTiles())
        return tiles.map { tile in
            let symbol = table.symbols[Int(tile.owner)]
            let firstEntry = entries.count
            stageRows(of: tile, &cursor)
            scopes.append(
                StagedScope(distance: 0, name: symbol.name, file: 0, line: 0, column: 0))
            parts.append(
                CodePart(
                    start: symbol.start, end: tile.end, order: 0, name: symbol.name,
                    firstScope: UInt32(scopes.count - 1), firstEntry: UInt32(firstEntry),
                    entryCount: UInt32(entries.count - firstEntry)))
            return CodeTile(
                start: tile.start, end: tile.end, owner: UInt32(parts.count - 1))
        }
    }
}

/// Where symbols without a size end.
private struct SymbolStops {
    /// Starts of functions and of symbols, ascending.
    private var starts: [UInt64]
    private var labels: [UInt64]

    init(_ builder: SymbolIndexBuilder, _ table: SymbolTable) {
        starts = builder.functionStarts + builder.parts.map(\.start)
        starts += table.symbols.lazy.filter { !$0.isLabel }.map(\.start)
        starts.sort()
        labels = table.symbols.filter(\.isLabel).map(\.start)
    }

    func next(after start: UInt64, includingLabels: Bool) -> UInt64 {
        let stop = Self.next(in: starts, after: start)
        return includingLabels ? min(stop, Self.next(in: labels, after: start)) : stop
    }

    private static func next(in starts: [UInt64], after start: UInt64) -> UInt64 {
        let index = starts.partitioningIndex { $0 > start }
        return index < starts.count ? starts[index] : .max
    }
}
