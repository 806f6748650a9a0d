import CallStacks

/// Discards all records of a debug file, and counts them.
///
/// Each name and file gets a new number, because deduplicating them is part of the builder's work.
struct DiscardingSink: DebugRecordSink {
    /// The number of functions, inlined calls, line table rows and symbols.
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
