// What a builder keeps of the records until the index is encoded.
//
// Names and files are numbers of the builder's tables; files are counted from 1, and 0 is none.

/// From `start` on, the innermost scope is `scope`, at this file, line and column.
struct StagedEntry: Sendable {
    var start: UInt64
    /// Counted from the outermost scope of the part; once numbered, a scope of the index.
    var scope: UInt32
    var file: UInt32
    var line: UInt32
    var column: UInt32

    @inline(__always)
    func saysTheSame(as other: Self) -> Bool {
        scope == other.scope && file == other.file && line == other.line && column == other.column
    }
}

/// A call inlined into a function, or into another call.
struct StagedCall: Sendable {
    /// How far back the scope stands that it is inlined into.
    var distance: UInt32
    var name: UInt32
    /// Where the call is written.
    var file: UInt32
    var line: UInt32
    var column: UInt32
}

/// One contiguous piece of a function, or of what a symbol covers.
struct CodePart: Sendable {
    var start: UInt64
    var end: UInt64
    /// Where the function stands in the debug information.
    var order: UInt64
    /// The name of the function that the piece is part of, for its outermost scope.
    var name: UInt32
    /// Its calls and entries.
    var content: StagedPart
}

/// A symbol, with files and names as in the other arrays.
struct StagedSymbol: Sendable {
    var start: UInt64
    /// `nil` where the format has no sizes.
    var end: UInt64?
    var name: UInt32
    var rank: UInt8
    var isLabel: Bool

    var hasSize: Bool { end.map { $0 > start } ?? false }
}

/// Consecutive rows of code that no function covers.
struct RowSequence: Sendable {
    var start: UInt64
    var end: UInt64
    var firstRow: UInt32
    var rowCount: UInt32

    var rows: Range<Int> { Int(firstRow)..<Int(firstRow) + Int(rowCount) }
}

/// A piece of code and the number of what owns it.
struct CodeTile: Hashable, Sendable {
    var start: UInt64
    var end: UInt64
    var owner: UInt32
}
