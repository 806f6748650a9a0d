import CLibDwarf
import CallStacks

/// Walks all entries of a unit and makes a record of each function with code.
///
/// Every entry is visited: functions hide in classes that are local to other functions, and in
/// instances that have no code themselves. The walk keeps its own stack.
struct FunctionWalk {
    private let unit: OpenUnit
    private let ranges: RangeLists
    private let budget: WorkBudget
    private let siblingBudget: WorkBudget
    private var lines: UnitLines
    private var levels: [Level] = []
    private var lastOffset: UInt64 = 0
    /// How many entries may still be visited.
    private(set) var entriesLeft: Int
    /// Functions being read, outermost first, and behind them records that are free.
    private var functions: [OpenFunction] = []
    private var openCount = 0

    /// Where the functions' code lies, in the order of their entries.
    private(set) var covered: [Range<ImageOffset>] = []
    private(set) var hasFunctions = false
    private(set) var hasInlines = false
    private(set) var lostInlines = false
    /// The first attribute or list that could not be read.
    private(set) var fault: DwarfError?

    /// How deep entries may nest.
    static let depthLimit = 4096
    /// How deep calls may be inlined into one another.
    static let inlineLimit = 512
    /// libdwarf reads an entry again for each one around it: this many times on average at most.
    private static let siblingReadsLimit: UInt64 = 64

    /// What the children of an entry belong to.
    private struct Scope {
        /// An index into ``functions``.
        var function: Int?
        /// An index into the calls of that function.
        var call: Int?
        /// How many calls are around them.
        var inlineDepth = 0
    }

    /// An entry whose children are being visited.
    private struct Level {
        let offset: UInt64
        let scope: Scope
        let opensFunction: Bool
    }

    private struct OpenFunction {
        var record = FunctionRecord()
        var isTooDeep = false
    }

    /// - Parameter entriesLimit: How many entries are visited at most.
    init(
        _ unit: OpenUnit, ranges: RangeLists, lines: UnitLines, budget: WorkBudget,
        entriesLimit: Int = .max
    ) {
        self.unit = unit
        self.ranges = ranges
        self.lines = lines
        self.budget = budget
        siblingBudget = WorkBudget(size: unit.header.size, times: Self.siblingReadsLimit)
        entriesLeft = entriesLimit
    }

    mutating func run(
        names: inout FunctionNames, into sink: inout some DebugRecordSink
    ) throws(DwarfError) {
        var current = try unit.entries.root().firstChild()
        while true {
            if let entry = current.take() {
                guard entriesLeft > 0 else { return }
                entriesLeft -= 1
                try checkOrder(entry.offset)
                let level = try visit(entry, names: &names, into: &sink)
                if entry.hasChildren {
                    try open(level)
                    current = try entry.firstChild()
                } else {
                    try close(level, into: &sink)
                    current = try entry.nextSibling()
                }
            } else if let level = levels.popLast() {
                try close(level, into: &sink)
                try siblingBudget.spend(lastOffset - level.offset)
                current = try unit.entries.entry(at: level.offset).nextSibling()
            } else {
                return
            }
        }
    }

    /// A `DW_AT_sibling` that leads back would make the walk endless, and libdwarf's own loops too.
    private mutating func checkOrder(_ offset: UInt64) throws(DwarfError) {
        guard offset > lastOffset
        else { throw unit.entries.malformed("an entry's sibling stands before it") }
        lastOffset = offset
    }

    private mutating func open(_ level: Level) throws(DwarfError) {
        guard levels.count < Self.depthLimit else {
            throw DwarfError(.nesting(limit: Self.depthLimit), unit: unit.header.offset)
        }
        levels.append(level)
    }

    private mutating func close(
        _ level: Level, into sink: inout some DebugRecordSink
    ) throws(DwarfError) {
        guard level.opensFunction else { return }
        openCount -= 1
        if functions[openCount].isTooDeep {
            lostInlines = true
            functions[openCount].record.calls.removeAll(keepingCapacity: true)
            functions[openCount].record.intervals.removeAll(keepingCapacity: true)
        }
        lines.appendRows(to: &functions[openCount].record)
        try budget.spend(UInt64(functions[openCount].record.rows.count))
        covered += functions[openCount].record.ranges
        sink.add(functions[openCount].record)
    }

    private mutating func visit(
        _ entry: borrowing Entry, names: inout FunctionNames, into sink: inout some DebugRecordSink
    ) throws(DwarfError) -> Level {
        var scope = levels.last?.scope ?? Scope()
        var opensFunction = false
        switch Int32(entry.tag) {
        case DW_TAG_subprogram:
            scope = Scope()
            opensFunction = try openFunction(entry, names: &names, into: &sink)
            if opensFunction { scope.function = openCount - 1 }
        case DW_TAG_inlined_subroutine:
            if scope.function != nil {
                scope = try addCall(entry, in: scope, names: &names, into: &sink)
            }
        default:
            // Blocks have no frame of their own: their children belong to what they are in.
            break
        }
        return Level(offset: entry.offset, scope: scope, opensFunction: opensFunction)
    }

    /// Starts a record for a function; false for one without code.
    private mutating func openFunction(
        _ entry: borrowing Entry, names: inout FunctionNames, into sink: inout some DebugRecordSink
    ) throws(DwarfError) -> Bool {
        let attributes = try FunctionAttributes(of: entry)
        fault = fault ?? attributes.fault
        let code = try self.code(of: attributes)
        if code.isEmpty { return false }
        if openCount == functions.count { functions.append(OpenFunction()) }
        functions[openCount].isTooDeep = false
        functions[openCount].record.removeAll()
        functions[openCount].record.order = entry.offset
        functions[openCount].record.ranges = code.disjoint()
        functions[openCount].record.name = try names.name(
            of: attributes.name, in: unit, for: &sink)
        openCount += 1
        hasFunctions = true
        return true
    }

    /// Adds an inlined call. One without code leaves its children to its parent.
    private mutating func addCall(
        _ entry: borrowing Entry, in scope: Scope, names: inout FunctionNames,
        into sink: inout some DebugRecordSink
    ) throws(DwarfError) -> Scope {
        guard let function = scope.function, !functions[function].isTooDeep else { return scope }
        let attributes = try FunctionAttributes(of: entry)
        fault = fault ?? attributes.fault
        let code = try self.code(of: attributes)
        if code.isEmpty { return scope }
        guard scope.inlineDepth < Self.inlineLimit else {
            functions[function].isTooDeep = true
            return scope
        }
        let site = SourcePosition(
            file: lines.number(ofFile: attributes.callFile, in: &sink),
            line: UInt32(exactly: attributes.callLine ?? 0) ?? 0,
            column: UInt32(exactly: attributes.callColumn ?? 0) ?? 0)
        let name = try names.name(of: attributes.name, in: unit, for: &sink)
        hasInlines = true
        let number = functions[function].record.calls.count
        functions[function].record.calls.append(
            InlinedCall(name: name, parent: scope.call, site: site))
        for range in code {
            functions[function].record.intervals.append(InlinedInterval(range: range, call: number))
        }
        return Scope(function: function, call: number, inlineDepth: scope.inlineDepth + 1)
    }

    private mutating func code(
        of attributes: FunctionAttributes
    ) throws(DwarfError) -> [Range<ImageOffset>] {
        guard let place = attributes.code else { return [] }
        var found: [Range<ImageOffset>] = []
        do {
            try ranges.append(place, to: &found)
        } catch {
            if error.reason == .workBudget { throw error }
            fault = fault ?? error
            return []
        }
        return found
    }
}
