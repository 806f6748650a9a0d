/// The number of a function name that a ``DebugRecordSink`` keeps.
public struct NameNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number of a source file that a ``DebugRecordSink`` keeps.
public struct FileNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Takes what a debug file says about code. Readers push into it; nothing they hand over is kept by
/// reference, so a reader's memory stays that of one unit.
///
/// Records may come in any order. Names and files are handed over once and then go by number.
public protocol DebugRecordSink {
    /// The number of a linkage name. Equal bytes have equal numbers.
    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber

    /// The number of a source file. `folder` may be empty; the whole path is `folder/name`, or
    /// `folder` + `name` where the folder ends in a separator.
    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber

    /// A function with code.
    mutating func add(_ function: FunctionRecord)

    /// A name from the symbol table.
    mutating func add(_ symbol: SymbolRecord)

    /// Rows that belong to no function of their unit, as assembly sources have them: a run without
    /// a gap, whose last row is ``SourcePosition/none``.
    mutating func add(rowsWithoutFunction rows: [LineRow])

    /// A place where a function starts, known without a name (`LC_FUNCTION_STARTS`).
    mutating func add(functionStart: ImageOffset)
}
