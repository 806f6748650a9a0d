import CallStacks

// Who owns each byte of code: functions first, then symbols, then assembly labels. Within a layer the
// piece with the greatest start wins, then the one with the smallest end.

extension SymbolIndexBuilder {
    /// Names the parts after their symbols, adds parts for what only symbols cover, and says which
    /// part owns which code: ascending and disjoint.
    mutating func cover() -> [CodeTile] {
        let table = SymbolTable(symbols, names: names)
        let isSymbol = parts.map { table.holds($0.name, at: $0.start) }
        let functions = functionTiles(isSymbol)
        namePartsAfterSymbols(table, isSymbol)
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
    ///
    /// - Parameter isSymbol: For each part whether its name is a symbol where it starts.
    private func functionTiles(_ isSymbol: [Bool]) -> [CodeTile] {
        var tiles = parts.indices.map { index in
            CodeTile(start: parts[index].start, end: parts[index].end, owner: UInt32(index))
        }
        tiles.sort { left, right in
            if left.start != right.start { return left.start < right.start }
            if left.end != right.end { return left.end > right.end }
            let (leftOwner, rightOwner) = (Int(left.owner), Int(right.owner))
            if isSymbol[leftOwner] != isSymbol[rightOwner] { return isSymbol[rightOwner] }
            let (leftPart, rightPart) = (parts[leftOwner], parts[rightOwner])
            if leftPart.order != rightPart.order { return leftPart.order > rightPart.order }
            return names.precedes(rightPart.name, leftPart.name)
        }
        return CodeTile.disjoint(tiles)
    }

    /// Names such as `.cold.1` and `OUTLINED_FUNCTION_3` are only in the symbol table. But of several
    /// symbols at one place, one that the function itself is named after must stay: else folded
    /// code would get one function's name and another one's file.
    private mutating func namePartsAfterSymbols(_ table: SymbolTable, _ isSymbol: [Bool]) {
        for index in parts.indices where !isSymbol[index] {
            let part = parts[index]
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
        var entries: [StagedEntry] = []
        return tiles.map { tile in
            let symbol = table.symbols[Int(tile.owner)]
            entries.removeAll(keepingCapacity: true)
            collectRows(of: tile, &cursor, into: &entries)
            let content = staging.part(
                entries, start: symbol.start, fileCount: files.entries.count,
                into: &pools[0].bytes)
            parts.append(
                CodePart(
                    start: symbol.start, end: tile.end, order: 0, name: symbol.name,
                    content: content))
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
