import CallStacks
import TestSupport

extension CodeModel {
    /// Returns functions that overlap, calls that nest, cross and exceed their parents, symbols,
    /// labels and loose rows. The code is so small that all combinations are likely.
    static func random(_ numbers: inout SplitMix64) -> Self {
        let step = [1, 2, 4].randomElement(using: &numbers)!
        var maker = ModelMaker(numbers: numbers, step: UInt64(step))
        let model = maker.model()
        numbers = maker.numbers
        return model
    }
}

private struct ModelMaker {
    var numbers: SplitMix64
    let step: UInt64
    let units: UInt64 = 70

    mutating func model() -> CodeModel {
        var model = CodeModel(code: [0..<40 * step, 44 * step..<units * step])
        let orders = (0..<UInt64(6)).shuffled(using: &numbers)
        for order in orders.prefix(Int.random(in: 0...6, using: &numbers)) {
            model.functions.append(function(order: order))
        }
        for _ in 0..<Int.random(in: 0...6, using: &numbers) { model.symbols.append(symbol()) }
        // Names at the starts of functions, so that some of them are renamed.
        for function in model.functions where Bool.random(using: &numbers) {
            for range in function.ranges where Bool.random(using: &numbers) {
                var symbol = symbol()
                symbol.start = range.lowerBound
                if Bool.random(using: &numbers) { symbol.name = function.name ?? symbol.name }
                model.symbols.append(symbol)
            }
        }
        for _ in 0..<Int.random(in: 0...3, using: &numbers) {
            model.sequences.append(rows(in: code(), ends: true))
        }
        for _ in 0..<Int.random(in: 0...2, using: &numbers) {
            model.functionStarts.append(code().lowerBound)
        }
        return model
    }

    mutating func function(order: UInt64) -> CodeModel.Function {
        var function = CodeModel.Function(name: name(), ranges: ranges(), order: order)
        let whole = function.ranges[0].lowerBound..<function.ranges.last!.upperBound
        for index in 0..<Int.random(in: 0...7, using: &numbers) {
            let parent = Int.random(in: -1...max(index - 1, -1), using: &numbers)
            function.calls.append(
                CodeModel.Call(
                    name: name(), parent: parent < 0 ? nil : parent, site: location()))
            for _ in 0..<[0, 1, 1, 1, 2].randomElement(using: &numbers)! {
                function.intervals.append(CodeModel.Interval(range: code(), call: index))
            }
        }
        function.intervals.shuffle(using: &numbers)
        function.rows = rows(in: whole, ends: Bool.random(using: &numbers))
        return function
    }

    mutating func ranges() -> [Range<UInt64>] {
        let first = code()
        let second = code()
        guard first.upperBound <= second.lowerBound, Bool.random(using: &numbers) else {
            return [first]
        }
        return [first, second]
    }

    mutating func symbol() -> CodeModel.Symbol {
        let code = code()
        return CodeModel.Symbol(
            name: name() ?? "unnamed", start: code.lowerBound,
            end: Bool.random(using: &numbers) ? code.upperBound : nil,
            rank: [.global, .weak, .local, .label, .label].randomElement(using: &numbers)!)
    }

    mutating func rows(in range: Range<UInt64>, ends: Bool) -> [CodeModel.Row] {
        var rows: [CodeModel.Row] = []
        var start = range.lowerBound + step * UInt64.random(in: 0...1, using: &numbers)
        while start < range.upperBound {
            rows.append(CodeModel.Row(start: start, location: location()))
            start += step * UInt64.random(in: 0...6, using: &numbers)
        }
        if ends {
            rows.append(CodeModel.Row(start: range.upperBound, location: CodeModel.Location()))
        }
        return rows
    }

    mutating func location() -> CodeModel.Location {
        if Int.random(in: 0..<8, using: &numbers) == 0 { return CodeModel.Location() }
        let file = ["a.c", "b.c", "c.h", "<compiler-generated>"].randomElement(using: &numbers)!
        let columns: [UInt32] = [0, 1, 7, 254, 255, 65_535, 65_536]
        return CodeModel.Location(
            file: file, line: UInt32.random(in: 0...5, using: &numbers),
            column: columns.randomElement(using: &numbers)!)
    }

    mutating func name() -> String? {
        ["f", "fa", "_ZN3fooEv", "_ZN3fooEi", "$s4Shop", nil].randomElement(using: &numbers)!
    }

    /// Returns a range of code that is not empty.
    mutating func code() -> Range<UInt64> {
        let start = UInt64.random(in: 0..<units, using: &numbers)
        let length = UInt64.random(in: 1...20, using: &numbers)
        return start * step..<min(start + length, units) * step
    }
}
