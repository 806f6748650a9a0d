/// The number that a ``DebugRecordSink`` assigned to a function name.
public struct NameNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number that a ``DebugRecordSink`` assigned to a source file.
public struct FileNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Receives the records of a debug file. A sink does not retain its arguments, so a reader needs
/// memory for only one unit.
///
/// Records may come in any order. Names and files are passed once and then referred to by number.
public protocol DebugRecordSink {
    /// Returns the number of a linkage name. Equal bytes have equal numbers.
    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber

    /// Returns the number of a source file. `folder` may be empty; the full path is `folder/name`,
    /// or `folder` + `name` if the folder ends in a separator.
    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber

    mutating func add(_ function: FunctionRecord)

    mutating func add(_ symbol: SymbolRecord)

    /// Adds rows that belong to no function of their unit, as in assembly sources. They are
    /// contiguous, and the last row is ``SourcePosition/none``.
    mutating func add(rowsWithoutFunction rows: [LineRow])

    /// Adds a function start without a name (`LC_FUNCTION_STARTS`).
    mutating func add(functionStart: ImageOffset)
}
