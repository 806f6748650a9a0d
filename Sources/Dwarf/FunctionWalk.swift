import CallStacks

/// Walks all entries of a unit and makes a record of each function with code.
///
/// Every entry is visited: functions hide in classes that are local to other functions, and in
/// instances that have no code themselves.
struct FunctionWalk<Source: EntrySource> {
    private let unit: OpenUnit<Source.Unit>
    private let ranges: RangeLists
    private let budget: WorkBudget
    private var lines: UnitLines
    /// The functions and calls around the entry that is visited.
    private var levels: [Level] = []
    /// How many entries may still be visited.
    private(set) var entriesLeft: Int
    /// Functions being read, outermost first, and behind them records that are free.
    private var functions: [OpenFunction] = []
    private var openCount = 0
    /// Where the code of the entry that is visited lies.
    private var code: [Range<ImageOffset>] = []

    /// Where the functions' code lies, in the order of their entries.
    private(set) var covered: [Range<ImageOffset>] = []
    private(set) var hasFunctions = false
    private(set) var hasInlines = false
    private(set) var lostInlines = false
    /// The first attribute or list that could not be read.
    private(set) var fault: DwarfError?

    /// What the children of an entry belong to.
    private struct Scope {
        /// An index into ``functions``.
        var function: Int?
        /// An index into the calls of that function.
        var call: Int?
        /// How many calls are around them.
        var inlineDepth = 0
    }

    /// A function or call whose children are being visited.
    private struct Level {
        let depth: Int
        let scope: Scope
        let opensFunction: Bool
    }

    private struct OpenFunction {
        var record = FunctionRecord()
        var isTooDeep = false
    }

    /// - Parameter entriesLimit: How many entries are visited at most.
    init(
        _ unit: OpenUnit<Source.Unit>, ranges: RangeLists, lines: UnitLines, budget: WorkBudget,
        entriesLimit: Int = .max
    ) {
        self.unit = unit
        self.ranges = ranges
        self.lines = lines
        self.budget = budget
        entriesLeft = entriesLimit
    }

    mutating func run(
        names: inout FunctionNames<Source>, into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        var walk = try unit.entries.walk(limit: entriesLeft)
        while let entry = try next(of: &walk, into: &sink) {
            try close(to: walk.leastDepth, into: &sink)
            levels.append(try visit(entry, of: walk, names: &names, into: &sink))
        }
        try close(to: 0, into: &sink)
    }

    /// The next entry. Functions that ended before a fault are not lost by it.
    private mutating func next(
        of walk: inout Source.Unit.Walk, into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> CodeEntry? {
        defer { entriesLeft = walk.entriesLeft }
        do {
            return try walk.next()
        } catch {
            try close(to: walk.leastDepth, into: &sink)
            throw error
        }
    }

    /// Ends functions and calls at `depth` and deeper.
    private mutating func close(
        to depth: Int, into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        while let level = levels.last, level.depth >= depth {
            levels.removeLast()
            try close(level, into: &sink)
        }
    }

    private mutating func close(
        _ level: Level, into sink: inout any DebugRecordSink
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

    /// - Parameter walk: Stands at `entry`.
    private mutating func visit(
        _ entry: CodeEntry, of walk: borrowing Source.Unit.Walk,
        names: inout FunctionNames<Source>, into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Level {
        var scope = levels.last?.scope ?? Scope()
        var opensFunction = false
        switch entry.kind {
        case .function:
            scope = Scope()
            opensFunction = try openFunction(entry, of: walk, names: &names, into: &sink)
            if opensFunction { scope.function = openCount - 1 }
        case .inlinedCall:
            if scope.function != nil {
                scope = try addCall(of: walk, in: scope, names: &names, into: &sink)
            }
        }
        return Level(depth: entry.depth, scope: scope, opensFunction: opensFunction)
    }

    /// Starts a record for a function; false for one without code.
    private mutating func openFunction(
        _ entry: CodeEntry, of walk: borrowing Source.Unit.Walk,
        names: inout FunctionNames<Source>, into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Bool {
        let attributes = try FunctionAttributes(of: walk)
        if fault == nil { fault = attributes.fault }
        try findCode(of: attributes)
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
        of walk: borrowing Source.Unit.Walk, in scope: Scope, names: inout FunctionNames<Source>,
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Scope {
        guard let function = scope.function, !functions[function].isTooDeep else { return scope }
        let attributes = try FunctionAttributes(of: walk)
        if fault == nil { fault = attributes.fault }
        try findCode(of: attributes)
        if code.isEmpty { return scope }
        guard scope.inlineDepth < CodeEntry.inlineLimit else {
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

    private mutating func findCode(of attributes: FunctionAttributes) throws(DwarfError) {
        code.removeAll(keepingCapacity: true)
        guard let place = attributes.code else { return }
        do {
            try ranges.append(place, to: &code)
        } catch {
            if error.reason == .workBudget { throw error }
            fault = fault ?? error
            code.removeAll(keepingCapacity: true)
        }
    }
}
