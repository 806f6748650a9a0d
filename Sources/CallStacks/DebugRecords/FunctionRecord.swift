/// A function with the calls inlined into it, as a debug file describes it.
///
/// This type connects debug files and indexes: readers fill the record, index builders consume it,
/// and neither depends on the other. A reader reuses the same record for each function, so that its
/// arrays keep their capacity.
public struct FunctionRecord: Sendable {
    /// The linkage name, or else the plain name; `nil` if it has neither.
    public var name: NameNumber?
    /// The ranges of its code, ascending and disjoint. There are several if the optimiser split the
    /// function.
    public var ranges: [Range<ImageOffset>] = []
    /// Its position in the debug information. Of two records for the same code, the lower one wins.
    public var order: UInt64 = 0
    /// The calls inlined into it, each after the call that contains it.
    public var calls: [InlinedCall] = []
    /// The code of ``calls``, in any order and not yet clipped to that of the enclosing call.
    public var intervals: [InlinedInterval] = []
    /// The rows of the line table that cover ``ranges``, ascending by ``LineRow/start``.
    ///
    /// The first row may start before a range; a row ends where the next one starts.
    public var rows: [LineRow] = []

    public init() {}

    /// Removes all contents and keeps the storage.
    public mutating func removeAll() {
        name = nil
        order = 0
        ranges.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
        // Few functions have calls, and removing the elements of an array has a cost even if it is
        // empty.
        if calls.isEmpty, intervals.isEmpty { return }
        calls.removeAll(keepingCapacity: true)
        intervals.removeAll(keepingCapacity: true)
    }
}

/// A call that the compiler replaced by the body of the callee.
public struct InlinedCall: Hashable, Sendable {
    public var name: NameNumber?
    /// The enclosing inlined call, as an index into ``FunctionRecord/calls``; `nil` if it is the
    /// function itself.
    public var parent: Int?
    /// The source position of the call, in the function that contains it.
    public var site: SourcePosition

    public init(name: NameNumber?, parent: Int?, site: SourcePosition) {
        self.name = name
        self.parent = parent
        self.site = site
    }
}

/// A range of code that belongs to an inlined call.
public struct InlinedInterval: Hashable, Sendable {
    public var range: Range<ImageOffset>
    /// An index into ``FunctionRecord/calls``.
    public var call: Int

    public init(range: Range<ImageOffset>, call: Int) {
        self.range = range
        self.call = call
    }
}

/// A file, line and column. Line 0 means that the compiler assigned no line.
public struct SourcePosition: Hashable, Sendable {
    public var file: FileNumber?
    public var line: UInt32
    public var column: UInt32

    public init(file: FileNumber?, line: UInt32, column: UInt32) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// The position of code that the line table does not cover.
    public static let none = Self(file: nil, line: 0, column: 0)
}

/// A row of a line table: from `start` to the start of the next row, code belongs to `position`.
///
/// The end of a sequence is a row with ``SourcePosition/none``.
public struct LineRow: Hashable, Sendable {
    public var start: ImageOffset
    public var position: SourcePosition

    public init(start: ImageOffset, position: SourcePosition) {
        self.start = start
        self.position = position
    }
}

/// A name from the symbol table.
public struct SymbolRecord: Hashable, Sendable {
    /// The preference among symbols at the same address, best first.
    public enum Rank: UInt8, Comparable, Sendable {
        case global, weak, local
        /// A name that the compiler gave to a position for the assembler's use, such as `ltmp3`. It
        /// names a function if no other symbol has its address.
        case assemblerLocal
        /// A name without a type, which need not be that of a function.
        case label

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The name without the underscore that Mach-O prepends.
    public var name: NameNumber
    public var start: ImageOffset
    /// The end of its code, or `nil` if the format has no sizes. The code then ends at the next
    /// symbol, function start or section end.
    public var end: ImageOffset?
    public var rank: Rank

    public init(name: NameNumber, start: ImageOffset, end: ImageOffset?, rank: Rank) {
        self.name = name
        self.start = start
        self.end = end
        self.rank = rank
    }
}
