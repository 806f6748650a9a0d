import CallStacks

/// Records the contents of a debug file as lines of text.
struct RecordingSink: DebugRecordSink {
    private(set) var lines: [String] = []
    private var names: [String] = []
    private(set) var files: [String] = []

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        NameNumber(rawValue: Self.number(of: Self.text(utf8), in: &names))
    }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        let path = Self.text(folder) + "/" + Self.text(name)
        return FileNumber(rawValue: Self.number(of: path, in: &files))
    }

    mutating func add(_ function: FunctionRecord) {
        let start = function.ranges.first.map { hex($0.lowerBound) } ?? "-"
        lines.append("function \(start) \(name(function.name)) \(function.calls.count) calls")
    }

    mutating func add(_ symbol: SymbolRecord) {
        let end = symbol.end.map(hex) ?? "?"
        lines.append("symbol \(hex(symbol.start))..\(end) \(name(symbol.name)) \(symbol.rank)")
    }

    mutating func add(rowsWithoutFunction rows: [LineRow]) {
        lines.append("rows \(rows.count)")
    }

    mutating func add(functionStart: ImageOffset) { lines.append("start \(hex(functionStart))") }

    private func name(_ number: NameNumber?) -> String {
        number.map { names.dropFirst(Int($0.rawValue)).first ?? "?" } ?? "-"
    }

    private func hex(_ offset: ImageOffset) -> String { String(offset.rawValue, radix: 16) }

    private static func text(_ utf8: Span<UInt8>) -> String {
        String(decoding: utf8.indices.map { utf8[$0] }, as: UTF8.self)
    }

    private static func number(of text: String, in list: inout [String]) -> UInt32 {
        if let index = list.firstIndex(of: text) { return UInt32(index) }
        list.append(text)
        return UInt32(list.count - 1)
    }
}
