import CallStacks

/// Takes everything that a debug file says and keeps only how much it was.
///
/// Names and files get a new number each, because telling equal ones apart is work of the builder.
struct DiscardingSink: DebugRecordSink {
    /// Functions, inlined calls, rows of lines and symbols.
    private(set) var recordCount = 0
    private var names: UInt32 = 0
    private var files: UInt32 = 0

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        names &+= 1
        return NameNumber(rawValue: names)
    }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        files &+= 1
        return FileNumber(rawValue: files)
    }

    mutating func add(_ function: FunctionRecord) {
        recordCount += 1 + function.calls.count + function.rows.count
    }

    mutating func add(_ symbol: SymbolRecord) { recordCount += 1 }

    mutating func add(rowsWithoutFunction rows: [LineRow]) { recordCount += rows.count }

    mutating func add(functionStart: ImageOffset) {}
}
