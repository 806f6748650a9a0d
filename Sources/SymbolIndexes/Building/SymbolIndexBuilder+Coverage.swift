import Algorithms
import CallStacks

// The owner of each byte of code is chosen in layers: functions, then symbols, then assembly
// labels, then rows without any of these. Within a layer, the candidate with the greatest start
// wins; then the one with the smallest end; of functions, then the one whose name is a symbol
// there.

extension SymbolIndexBuilder {
    /// Renames parts after their symbols, adds parts for code that only symbols or rows cover, and
    /// returns the owners of the code as ascending, disjoint tiles.
    mutating func cover() -> [CodeTile] {
        let table = SymbolTable(symbols, names: names)
        let isSymbol = parts.map { table.contains($0.name, at: $0.start) }
        let functions = functionTiles(isSymbol)
        namePartsAfterSymbols(table, isSymbol: isSymbol)
        let stops = SymbolStops(self, table: table)
        let named = CodeTile.gaps(
            of: functions,
            filledBy: symbolTiles(table, stops: stops, over: functions, areLabels: false))
        let covered = CodeTile.merged(functions, named)
        let labelled = CodeTile.gaps(
            of: covered,
            filledBy: symbolTiles(table, stops: stops, over: covered, areLabels: true))
        let sequences = sequenceTiles()
        let nameless = CodeTile.gaps(of: CodeTile.merged(covered, labelled), filledBy: sequences)
        let symbols = addParts(
            for: CodeTile.merged(named, labelled), of: table, sequences: sequences)
        return CodeTile.merged(
            CodeTile.merged(functions, symbols),
            addParts(withoutNameFor: nameless, sequences: sequences))
    }

    /// Returns the code of functions. Of functions with the same range, such as folded code and
    /// copies of templates, one whose linkage name is a symbol there wins, and else the first in the
    /// debug information.
    ///
    /// At address 0, the symbol counts before the end: in an image with code there, all functions
    /// that the linker removed start there too.
    ///
    /// - Parameter isSymbol: For each part, whether its name is a symbol at its start.
    private func functionTiles(_ isSymbol: [Bool]) -> [CodeTile] {
        var tiles = parts.indices.map { index in
            CodeTile(start: parts[index].start, end: parts[index].end, owner: UInt32(index))
        }
        let addressZero = 0 &- image.base.rawValue
        tiles.sort { left, right in
            if left.start != right.start { return left.start < right.start }
            let (leftOwner, rightOwner) = (Int(left.owner), Int(right.owner))
            let hasBetterName = isSymbol[leftOwner] != isSymbol[rightOwner]
            if hasBetterName, left.start == addressZero { return isSymbol[rightOwner] }
            if left.end != right.end { return left.end > right.end }
            if hasBetterName { return isSymbol[rightOwner] }
            let (leftPart, rightPart) = (parts[leftOwner], parts[rightOwner])
            if leftPart.order != rightPart.order { return leftPart.order > rightPart.order }
            return names.precedes(rightPart.name, leftPart.name)
        }
        return CodeTile.disjoint(tiles)
    }

    /// Renames parts after symbols, because names such as `.cold.1` and `OUTLINED_FUNCTION_3` are
    /// only in the symbol table. If one of several symbols at the same address is the function's
    /// own name, the name is kept; otherwise folded code would get the name of one function and the
    /// file of another.
    private mutating func namePartsAfterSymbols(_ table: SymbolTable, isSymbol: [Bool]) {
        for index in parts.indices where !isSymbol[index] {
            let part = parts[index]
            if let name = table.name(at: part.start, acceptingLabels: part.name == 0) {
                parts[index].name = name
            }
        }
    }

    /// Returns the code of symbols, or of labels; each tile has the index of its symbol.
    ///
    /// - Parameter better: The code that functions, or functions and symbols, already own.
    private func symbolTiles(
        _ table: SymbolTable, stops: SymbolStops, over better: [CodeTile], areLabels: Bool
    ) -> [CodeTile] {
        var candidates: [CodeTile] = []
        for (index, symbol) in table.symbols.enumerated() where symbol.isLabel == areLabels {
            guard let section = layout.section(containing: ImageOffset(symbol.start)) else {
                continue
            }
            let limit = section.upperBound.rawValue
            let knownEnd = symbol.end ?? table.end(ofCodeAt: symbol.start)
            var end = min(knownEnd ?? limit, limit)
            if knownEnd == nil {
                // A Mach-O symbol has no size, so the padding after its function belongs to it. A
                // label inside code with a better owner does not even provide a name.
                if areLabels, better.covers(symbol.start) { continue }
                end = min(end, stops.next(after: symbol.start, includingLabels: areLabels))
            }
            if symbol.start < end {
                candidates.append(
                    CodeTile(start: symbol.start, end: end, owner: UInt32(index)))
            }
        }
        // Of two candidates for the same bytes, the better one must be last, but symbols are sorted
        // best first.
        candidates.sort { left, right in
            if left.start != right.start { return left.start < right.start }
            return left.end != right.end ? left.end > right.end : left.owner > right.owner
        }
        return CodeTile.disjoint(candidates)
    }

    /// Adds a part for each tile that a symbol owns. The returned tiles are owned by these parts.
    private mutating func addParts(
        for tiles: [CodeTile], of table: SymbolTable, sequences: [CodeTile]
    ) -> [CodeTile] {
        var cursor = RowTileCursor(sequences)
        var entries: [StagedEntry] = []
        return tiles.map { tile in
            let symbol = table.symbols[Int(tile.owner)]
            return addPart(
                for: tile, start: symbol.start, name: symbol.name, cursor: &cursor,
                entries: &entries)
        }
    }

    /// Adds a part without a name for each tile that a sequence owns, from its first row with a
    /// line on.
    private mutating func addParts(
        withoutNameFor tiles: [CodeTile], sequences: [CodeTile]
    ) -> [CodeTile] {
        var cursor = RowTileCursor(sequences)
        var entries: [StagedEntry] = []
        return tiles.compactMap { tile in
            guard let start = firstRow(in: tile) else { return nil }
            let code = CodeTile(start: start, end: tile.end, owner: tile.owner)
            return addPart(for: code, start: start, name: 0, cursor: &cursor, entries: &entries)
        }
    }

    private mutating func addPart(
        for tile: CodeTile, start: UInt64, name: UInt32, cursor: inout RowTileCursor,
        entries: inout [StagedEntry]
    ) -> CodeTile {
        entries.removeAll(keepingCapacity: true)
        collectRows(of: tile, cursor: &cursor, into: &entries)
        let content = staging.part(
            entries, start: start, fileCount: files.entries.count, into: &pools[0].bytes)
        parts.append(
            CodePart(start: start, end: tile.end, order: 0, name: name, content: content))
        return CodeTile(start: tile.start, end: tile.end, owner: UInt32(parts.count - 1))
    }
}

/// The ends of symbols without a size.
private struct SymbolStops {
    /// The starts of functions and symbols, ascending.
    private var starts: [UInt64]
    private var labels: [UInt64]

    init(_ builder: SymbolIndexBuilder, table: SymbolTable) {
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
