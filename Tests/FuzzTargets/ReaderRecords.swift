import CallStacks

/// The records of a reader of debug information, in a form that can be compared with those of
/// another reader. Names and files have the same numbers in any order of records.
struct ReaderRecords: DebugRecordSink {
    /// All records of one reader.
    struct Account: Equatable {
        /// The functions by their positions in the debug information.
        var functions: [UInt64: Function] = [:]
        var rowsWithoutFunction: [[LineRow]] = []
    }

    struct Function: Equatable {
        var name: NameNumber?
        var ranges: [Range<ImageOffset>]
        var calls: [InlinedCall]
        var intervals: [InlinedInterval]
        var rows: [LineRow]
    }

    private var account = Account()
    private var names: [[UInt8]: NameNumber] = [:]
    private var files: [[UInt8]: FileNumber] = [:]

    /// Removes and returns the records since the last call.
    mutating func takeAccount() -> Account {
        defer { account = Account() }
        return account
    }

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        let text = utf8.indices.map { utf8[$0] }
        if let known = names[text] { return known }
        let number = NameNumber(rawValue: UInt32(names.count))
        names[text] = number
        return number
    }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        // A path contains no zero.
        let path = folder.indices.map { folder[$0] } + [0] + name.indices.map { name[$0] }
        if let known = files[path] { return known }
        let number = FileNumber(rawValue: UInt32(files.count))
        files[path] = number
        return number
    }

    mutating func add(_ function: FunctionRecord) {
        account.functions[function.order] = Function(
            name: function.name, ranges: function.ranges, calls: function.calls,
            intervals: function.intervals, rows: function.rows)
    }

    mutating func add(rowsWithoutFunction rows: [LineRow]) {
        account.rowsWithoutFunction.append(rows)
    }

    mutating func add(_ symbol: SymbolRecord) {}
    mutating func add(functionStart: ImageOffset) {}
}

extension ReaderRecords.Function {
    var withoutNames: Self {
        var function = self
        function.name = nil
        for index in function.calls.indices { function.calls[index].name = nil }
        return function
    }

    var withoutCalls: Self {
        var function = self
        function.calls = []
        function.intervals = []
        return function
    }
}
