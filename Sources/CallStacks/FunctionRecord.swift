/// One function with the calls inlined into it, as a debug file describes it.
///
/// This is where debug files and indexes meet: readers fill it, index builders take it, and neither
/// knows the other. A reader fills the same record again for each function, so that its arrays keep
/// their capacity.
public struct FunctionRecord: Sendable {
    /// The linkage name, or the plain name where there is no other; `nil` if it has none.
    public var name: NameNumber?
    /// Where its code lies, ascending and disjoint; a function split by the optimiser has several.
    public var ranges: [Range<ImageOffset>] = []
    /// Where it stands in the debug information; of two records for the same code the lower wins.
    public var order: UInt64 = 0
    /// The calls inlined into it, each after the call that it is nested in.
    public var calls: [InlinedCall] = []
    /// The code of ``calls``, in any order. Not yet cut to that of the enclosing call.
    public var intervals: [InlinedInterval] = []
    /// The rows of the line table that cover ``ranges``, ascending by ``LineRow/start``.
    ///
    /// The first row may start before a range; a row ends where the next one starts.
    public var rows: [LineRow] = []

    public init() {}

    /// Empties the record and keeps its storage.
    public mutating func removeAll() {
        name = nil
        order = 0
        ranges.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
        // Few functions have calls, and emptying an array costs something even if it is empty.
        if calls.isEmpty, intervals.isEmpty { return }
        calls.removeAll(keepingCapacity: true)
        intervals.removeAll(keepingCapacity: true)
    }
}

/// A call that the compiler replaced by the body of the function called.
public struct InlinedCall: Hashable, Sendable {
    /// The function called.
    public var name: NameNumber?
    /// The call that this one is nested in, an index into ``FunctionRecord/calls``; `nil` when it is
    /// the function itself.
    public var parent: Int?
    /// Where the call is written, in the function that it is nested in.
    public var site: SourcePosition

    public init(name: NameNumber?, parent: Int?, site: SourcePosition) {
        self.name = name
        self.parent = parent
        self.site = site
    }
}

/// A piece of the code that an inlined call was turned into.
public struct InlinedInterval: Hashable, Sendable {
    public var range: Range<ImageOffset>
    /// An index into ``FunctionRecord/calls``.
    public var call: Int

    public init(range: Range<ImageOffset>, call: Int) {
        self.range = range
        self.call = call
    }
}

/// A file, line and column. Line 0: the compiler says that no line belongs here.
public struct SourcePosition: Hashable, Sendable {
    public var file: FileNumber?
    public var line: UInt32
    public var column: UInt32

    public init(file: FileNumber?, line: UInt32, column: UInt32) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// What a row says where the line table is silent.
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
    /// What a symbol is worth when several stand at one place, best first.
    public enum Rank: UInt8, Comparable, Sendable {
        case global, weak, local, label

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The name without the underscore that Mach-O puts in front.
    public var name: NameNumber
    public var start: ImageOffset
    /// The end of its code, or `nil` where the format has no sizes: then it ends at the next symbol,
    /// function start or section end.
    public var end: ImageOffset?
    public var rank: Rank

    public init(name: NameNumber, start: ImageOffset, end: ImageOffset?, rank: Rank) {
        self.name = name
        self.start = start
        self.end = end
        self.rank = rank
    }
}
