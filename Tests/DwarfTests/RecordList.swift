import CallStacks

/// A sink that keeps everything and prints it.
struct RecordList: DebugRecordSink {
    private(set) var names: [String] = []
    private(set) var files: [String] = []
    private(set) var functions: [FunctionRecord] = []
    private(set) var looseRows: [[LineRow]] = []

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        NameNumber(rawValue: Self.number(of: Self.text(utf8), in: &names))
    }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        let path = "\(Self.text(folder))|\(Self.text(name))"
        return FileNumber(rawValue: Self.number(of: path, in: &files))
    }

    mutating func add(_ function: FunctionRecord) { functions.append(function) }
    mutating func add(_ symbol: SymbolRecord) {}
    mutating func add(rowsWithoutFunction rows: [LineRow]) { looseRows.append(rows) }
    mutating func add(functionStart: ImageOffset) {}

    private static func text(_ utf8: Span<UInt8>) -> String {
        String(decoding: utf8.indices.map { utf8[$0] }, as: UTF8.self)
    }

    private static func number(of text: String, in list: inout [String]) -> UInt32 {
        if let index = list.firstIndex(of: text) { return UInt32(index) }
        list.append(text)
        return UInt32(list.count - 1)
    }

    func name(_ number: NameNumber?) -> String {
        number.flatMap { names.dropFirst(Int($0.rawValue)).first } ?? "?"
    }

    /// The known parts of `folder|name:line:column`.
    func text(_ position: SourcePosition) -> String {
        if position == .none { return "none" }
        let file = position.file.flatMap { files.dropFirst(Int($0.rawValue)).first } ?? "?"
        return "\(file):\(position.line):\(position.column)"
    }

    func text(_ rows: [LineRow]) -> [String] {
        rows.map { "\(Self.hex($0.start)) \(text($0.position))" }
    }

    static func hex(_ offset: ImageOffset) -> String { String(offset.rawValue, radix: 16) }

    static func text(_ range: Range<ImageOffset>) -> String {
        "\(hex(range.lowerBound))-\(hex(range.upperBound))"
    }

    private static func start(of function: FunctionRecord) -> ImageOffset {
        function.ranges.first?.lowerBound ?? ImageOffset(0)
    }

    /// The names of the functions in the order of their starts.
    var functionNames: [String] {
        functions.sorted { Self.start(of: $0) < Self.start(of: $1) }.map {
            name($0.name)
        }
    }

    /// The calls of a function: name, parent, site and code.
    func calls(of function: FunctionRecord) -> [String] {
        function.calls.enumerated().map { number, call in
            let code = function.intervals.filter { $0.call == number }.map { Self.text($0.range) }
            let parent = call.parent.map(String.init) ?? "-"
            return "\(name(call.name)) in \(parent) from \(text(call.site)) "
                + code.joined(separator: " ")
        }
    }

    /// Everything, one line per item, functions by address.
    var dump: String {
        var lines: [String] = []
        let sorted = functions.sorted {
            (Self.start(of: $0), $0.order) < (Self.start(of: $1), $1.order)
        }
        for function in sorted {
            let ranges = function.ranges.map(Self.text).joined(separator: " ")
            lines.append("\(ranges) \(name(function.name))")
            lines += calls(of: function).map { "    call \($0)" }
            lines += text(function.rows).map { "    row \($0)" }
        }
        for rows in looseRows {
            lines.append("rows without function")
            lines += text(rows).map { "    row \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
