// The staged form of records, until the index is encoded.
//
// Names and files are numbers in the builder's tables. Files are counted from 1, and 0 is none.

/// The innermost scope, file, line and column of the code from `start` on.
struct StagedEntry: Sendable {
    var start: UInt64
    /// The scope relative to the outermost one of the part, or, once numbered, a scope of the
    /// index.
    var scope: UInt32
    var file: UInt32
    var line: UInt32
    var column: UInt32

    @inline(__always)
    func hasSameSource(as other: Self) -> Bool {
        scope == other.scope && file == other.file && line == other.line && column == other.column
    }
}

/// A call inlined into a function, or into another call.
struct StagedCall: Sendable {
    /// The distance back to the scope that it is inlined into.
    var distance: UInt32
    var name: UInt32
    /// The location of the call in the source.
    var file: UInt32
    var line: UInt32
    var column: UInt32
}

/// A contiguous range of code of a function or a symbol.
struct CodePart: Sendable {
    var start: UInt64
    var end: UInt64
    /// The position of the function in the debug information.
    var order: UInt64
    /// The name of the function, for the outermost scope.
    var name: UInt32
    /// The calls and entries.
    var content: StagedPart
}

/// A symbol, with files and names numbered as in the other arrays.
struct StagedSymbol: Sendable {
    var start: UInt64
    /// The end, or `nil` if the format has no sizes.
    var end: UInt64?
    var name: UInt32
    var rank: UInt8
    var isLabel: Bool

    var hasSize: Bool { end.map { $0 > start } ?? false }
}

/// Consecutive rows of code outside any function.
struct RowSequence: Sendable {
    var start: UInt64
    var end: UInt64
    var firstRow: UInt32
    var rowCount: UInt32

    var rows: Range<Int> { Int(firstRow)..<Int(firstRow) + Int(rowCount) }
}

/// A contiguous range of code and the number of its owner.
struct CodeTile: Hashable, Sendable {
    var start: UInt64
    var end: UInt64
    var owner: UInt32
}
