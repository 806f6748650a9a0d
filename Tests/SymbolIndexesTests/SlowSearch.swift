import CallStacks

/// Looks up offsets in the records themselves, by examining all of them for each offset.
struct SlowSearch {
    struct Frame: Equatable {
        /// The scope: 0 is the function, n + 1 its call n.
        var scope: Int
        var name: String?
        var location: CodeModel.Location
    }

    struct Answer: Equatable {
        /// The owner of the code, including the range.
        var owner: String
        var frames: [Frame]
        var functionStart: UInt64
    }

    let model: CodeModel

    func answer(at offset: UInt64) -> Answer? {
        namedAnswer(at: offset) ?? rowsAnswer(at: offset)
    }

    private func namedAnswer(at offset: UInt64) -> Answer? {
        functionAnswer(at: offset) ?? symbolAnswer(at: offset, labels: false)
            ?? symbolAnswer(at: offset, labels: true)
    }

    /// Returns the frame at `depth` with the nearest line, searching byte by byte in both
    /// directions.
    func nearestLine(at offset: UInt64, depth: Int) -> Frame? {
        guard let answer = answer(at: offset), depth < answer.frames.count else { return nil }
        var sides = [true, true]
        for distance in 0..<1000 as Range<UInt64> {
            for (side, isOpen) in zip(0..., sides) where isOpen {
                let neighbour = side == 0 ? offset &- distance : offset + distance
                let other = self.answer(at: neighbour)
                guard other?.owner == answer.owner else {
                    sides[side] = false
                    continue
                }
                let frame = other?.frames.first { $0.scope == answer.frames[depth].scope }
                if let frame, frame.location.line > 0, let file = frame.location.file,
                    file != "<compiler-generated>"
                {
                    return frame
                }
            }
        }
        return nil
    }

    /// Returns where each inlined call at an offset starts, searching backwards byte by byte.
    func callStarts(at offset: UInt64) -> [UInt64] {
        guard let answer = answer(at: offset) else { return [] }
        return answer.frames.dropLast().map { frame in
            var start = offset
            while start > 0, let before = self.answer(at: start - 1),
                before.owner == answer.owner,
                before.frames.dropLast().contains(where: { $0.scope == frame.scope })
            {
                start -= 1
            }
            return start
        }
    }

    private func functionAnswer(at offset: UInt64) -> Answer? {
        let pieces = model.functions.flatMap { function in
            function.ranges.map { (function: function, range: $0) }
        }
        let best = pieces.filter { $0.range.contains(offset) }.max { left, right in
            let (a, b) = (left, right)
            if a.range.lowerBound != b.range.lowerBound {
                return a.range.lowerBound < b.range.lowerBound
            }
            if a.range.upperBound != b.range.upperBound {
                return a.range.upperBound > b.range.upperBound
            }
            let isNamed = [a, b].map { piece in
                model.symbols.contains {
                    $0.start == piece.range.lowerBound && $0.name == piece.function.name
                }
            }
            if isNamed[0] != isNamed[1] { return isNamed[1] }
            return a.function.order > b.function.order
        }
        guard let best else { return nil }
        let start = best.range.lowerBound
        return Answer(
            owner: "function \(best.function.order) at \(start)",
            frames: frames(
                of: best.function, at: offset, name: displayName(of: best.function, at: start)),
            functionStart: start)
    }

    private func displayName(of function: CodeModel.Function, at start: UInt64) -> String? {
        let symbols = model.symbols.filter { $0.start == start }
        if symbols.contains(where: { $0.name == function.name }) { return function.name }
        let best = symbols.min { isBetter($0, $1) }
        if let best, best.rank == .label, !best.hasSize, function.name != nil {
            return function.name
        }
        return best?.name ?? function.name
    }

    private func frames(
        of function: CodeModel.Function, at offset: UInt64, name: String?
    ) -> [Frame] {
        var chain: [Int] = []
        while let call = call(in: function, nestedIn: chain.last, at: offset) { chain.append(call) }
        var frames: [Frame] = []
        var location = location(in: function.rows, at: offset)
        for call in chain.reversed() {
            frames.append(
                Frame(scope: call + 1, name: function.calls[call].name, location: location))
            location = function.calls[call].site
            if location.column > 65_535 { location.column = 0 }
        }
        return frames + [Frame(scope: 0, name: name, location: location)]
    }

    /// Returns the call nested directly in `parent` with code at `offset`.
    private func call(
        in function: CodeModel.Function, nestedIn parent: Int?, at offset: UInt64
    ) -> Int? {
        let covering = function.intervals.filter {
            $0.range.contains(offset) && enclosing($0.call, in: function) == parent
        }
        return covering.max { ($0.range.lowerBound, $0.call) < ($1.range.lowerBound, $1.call) }?
            .call
    }

    /// Returns the nearest call around `call` that has code.
    private func enclosing(_ call: Int, in function: CodeModel.Function) -> Int? {
        var parent = function.calls[call].parent
        while let index = parent, !function.intervals.contains(where: { $0.call == index }) {
            parent = function.calls[index].parent
        }
        return parent
    }

    private func location(in rows: [CodeModel.Row], at offset: UInt64) -> CodeModel.Location {
        rows.last { $0.start <= offset }?.location ?? CodeModel.Location()
    }

    private func symbolAnswer(at offset: UInt64, labels: Bool) -> Answer? {
        let covering = model.symbols.compactMap { symbol -> (CodeModel.Symbol, UInt64)? in
            guard (symbol.rank == .label) == labels, let end = end(of: symbol),
                symbol.start <= offset, offset < end
            else { return nil }
            return (symbol, end)
        }
        let best = covering.max { left, right in
            if left.0.start != right.0.start { return left.0.start < right.0.start }
            if left.1 != right.1 { return left.1 > right.1 }
            return isBetter(right.0, left.0)
        }
        guard let symbol = best?.0 else { return nil }
        let rows = sequence(at: offset).map { model.sequences[$0] }
        return Answer(
            owner: "symbol \(symbol.name) at \(symbol.start), \(symbol.rank)",
            frames: [
                Frame(scope: 0, name: symbol.name, location: location(in: rows ?? [], at: offset))
            ],
            functionStart: symbol.start)
    }

    /// Returns the sequence that owns the rows at `offset`.
    private func sequence(at offset: UInt64) -> Int? {
        model.sequences.indices.filter { index in
            let sequence = model.sequences[index]
            return sequence[0].start <= offset && offset < sequence.last!.start
        }.max { left, right in
            let (left, right) = (model.sequences[left], model.sequences[right])
            return left[0].start != right[0].start
                ? left[0].start < right[0].start : left.last!.start > right.last!.start
        }
    }

    /// Returns the result from rows alone, from the first one with a line that starts in this gap
    /// between named code.
    private func rowsAnswer(at offset: UInt64) -> Answer? {
        guard let owner = sequence(at: offset) else { return nil }
        let rows = model.sequences[owner]
        var gap = offset
        while gap > 0, sequence(at: gap - 1) == owner, namedAnswer(at: gap - 1) == nil { gap -= 1 }
        let start = (gap...offset).first { start in
            guard let row = rows.last(where: { $0.start == start }) else { return false }
            return row.location.line > 0 && row.location.file != nil
        }
        guard let start else { return nil }
        return Answer(
            owner: "rows at \(start)",
            frames: [Frame(scope: 0, name: nil, location: location(in: rows, at: offset))],
            functionStart: start)
    }

    private func isBetter(_ left: CodeModel.Symbol, _ right: CodeModel.Symbol) -> Bool {
        if left.rank != right.rank { return left.rank < right.rank }
        if left.hasSize != right.hasSize { return left.hasSize }
        return left.name < right.name
    }

    private func end(of symbol: CodeModel.Symbol) -> UInt64? {
        guard let section = model.code.first(where: { $0.contains(symbol.start) }) else {
            return nil
        }
        if let end = symbol.end { return min(end, section.upperBound) }
        let aliases = model.symbols.filter { $0.start == symbol.start }
        if let end = aliases.compactMap(\.end).filter({ $0 > symbol.start }).max() {
            return min(end, section.upperBound)
        }
        let ranges = model.functions.flatMap(\.ranges)
        if symbol.rank == .label,
            isInSymbol(symbol.start) || ranges.contains(where: { $0.contains(symbol.start) })
        {
            return nil
        }
        let others = model.symbols.filter { $0.rank != .label || symbol.rank == .label }
        let stops = ranges.map(\.lowerBound) + model.functionStarts + others.map(\.start)
        return min(stops.filter { $0 > symbol.start }.min() ?? .max, section.upperBound)
    }

    /// Whether a symbol that is not a label covers `offset`.
    private func isInSymbol(_ offset: UInt64) -> Bool {
        model.symbols.contains { symbol in
            guard symbol.rank != .label, let end = end(of: symbol) else { return false }
            return symbol.start <= offset && offset < end
        }
    }
}
