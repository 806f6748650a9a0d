import CallStacks
import SymbolIndexes
import TestSupport

/// Records with their names spelled out, which can be added to builders in any order and searched.
struct CodeModel {
    struct Location: Hashable {
        var file: String?
        var line: UInt32 = 0
        var column: UInt32 = 0
    }

    struct Row {
        var start: UInt64
        var location: Location
    }

    struct Call {
        var name: String?
        var parent: Int?
        var site: Location
    }

    struct Interval {
        var range: Range<UInt64>
        var call: Int
    }

    struct Function {
        var name: String?
        var ranges: [Range<UInt64>]
        var order: UInt64
        var calls: [Call] = []
        var intervals: [Interval] = []
        var rows: [Row] = []
    }

    struct Symbol {
        var name: String
        var start: UInt64
        var end: UInt64?
        var rank: SymbolRecord.Rank

        var hasSize: Bool { (end ?? start) > start }
    }

    var code: [Range<UInt64>]
    var functions: [Function] = []
    var symbols: [Symbol] = []
    var sequences: [[Row]] = []
    var functionStarts: [UInt64] = []
}

extension CodeModel {
    /// Any record that can be added to a builder.
    enum Record {
        case function(Function)
        case symbol(Symbol)
        case sequence([Row])
        case start(UInt64)
    }

    var records: [Record] {
        functions.map { .function($0) } + symbols.map { .symbol($0) }
            + sequences.map { .sequence($0) } + functionStarts.map { .start($0) }
    }

    var emptyBuilder: SymbolIndexBuilder {
        SymbolIndexBuilder(
            image: exampleImage,
            layout: ImageLayout(
                base: exampleImage.base, code: code.map { range($0.lowerBound, $0.upperBound) }))
    }

    func builder(of records: [Record]) -> SymbolIndexBuilder {
        var builder = emptyBuilder
        for record in records { builder.add(record) }
        return builder
    }
}

extension SymbolIndexBuilder {
    mutating func add(_ record: CodeModel.Record) {
        switch record {
        case .function(let function): add(self.record(function))
        case .symbol(let symbol):
            addSymbol(symbol.name, symbol.start, symbol.end, rank: symbol.rank)
        case .sequence(let rows): add(rowsWithoutFunction: rows.map { row($0) })
        case .start(let start): add(functionStart: ImageOffset(start))
        }
    }

    private mutating func record(_ function: CodeModel.Function) -> FunctionRecord {
        var record = FunctionRecord()
        record.name = function.name.map { name($0) }
        record.ranges = function.ranges.map { range($0.lowerBound, $0.upperBound) }
        record.order = function.order
        record.calls = function.calls.map { call in
            InlinedCall(
                name: call.name.map { name($0) }, parent: call.parent, site: position(call.site))
        }
        record.intervals = function.intervals.map {
            InlinedInterval(
                range: range($0.range.lowerBound, $0.range.upperBound), call: $0.call)
        }
        record.rows = function.rows.map { row($0) }
        return record
    }

    private mutating func row(_ row: CodeModel.Row) -> LineRow {
        LineRow(start: ImageOffset(row.start), position: position(row.location))
    }

    private mutating func position(_ location: CodeModel.Location) -> SourcePosition {
        SourcePosition(
            file: location.file.map { file($0) }, line: location.line, column: location.column)
    }
}
