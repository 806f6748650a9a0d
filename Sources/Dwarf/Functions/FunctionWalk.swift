import CallStacks

/// Walks all entries of a unit and creates a record of each function with code.
///
/// Every entry is visited, because functions may be in classes local to other functions, and in
/// instances without code.
struct FunctionWalk<Source: EntrySource> {
    private let unit: OpenUnit<Source.Unit>
    private let ranges: RangeLists
    private let budget: WorkBudget
    /// The position of the unit's entries among all entries.
    private let order: UInt64
    private(set) var lines: UnitLines
    private var levels = WalkLevels()
    /// The number of entries that may still be visited.
    private(set) var entriesLeft: Int
    /// The innermost function with code, and the enclosing ones, outermost first.
    private var open = OpenFunction()
    private var isOpen = false
    private var suspended: [OpenFunction] = []
    /// Records for reuse.
    private var spare: [OpenFunction] = []
    /// The values of the current entry, and the ranges of its code.
    private var values = EntryValues()
    private var code: [Range<ImageOffset>] = []
    /// The call sites of the calls without code in the open functions.
    private var sitesWithoutCode: [CallSiteValues] = []

    /// The ranges of the functions, in the order of their entries.
    private(set) var covered: [Range<ImageOffset>] = []
    private(set) var hasFunctions = false
    private(set) var hasInlines = false
    private(set) var lostInlines = false
    /// The error of the first attribute or list that could not be read.
    private(set) var fault: DwarfError?

    private struct OpenFunction {
        var record = FunctionRecord()
        var isTooDeep = false
    }

    /// - Parameters:
    ///   - order: The position of the unit's entries in the debug information.
    ///   - entriesLimit: The maximum number of visited entries.
    init(
        _ unit: OpenUnit<Source.Unit>, ranges: RangeLists, lines: consuming UnitLines,
        budget: WorkBudget, order: UInt64 = 0, entriesLimit: Int = .max
    ) {
        self.unit = unit
        self.ranges = ranges
        self.lines = lines
        self.budget = budget
        self.order = order
        entriesLeft = entriesLimit
    }

    /// Empties the line table and returns its storage.
    mutating func takeRows() -> [LineRow] { lines.takeRows() }

    mutating func run(
        names: inout FunctionNameLookup<Source>, into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        var walk = try unit.entries.walk(limit: entriesLeft)
        while let entry = try next(of: &walk, into: &sink) {
            try close(to: walk.leastDepth, into: &sink)
            levels.push(try visit(entry, of: &walk, names: &names, into: &sink))
        }
        try close(to: 0, into: &sink)
    }

    /// Returns the next entry. Functions that ended before an error are still recorded.
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
    @inline(__always)
    private mutating func close(
        to depth: Int, into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        while let level = levels.last, level.depth >= depth {
            levels.removeLast()
            if level.opensFunction { try closeFunction(into: &sink) }
        }
    }

    private mutating func closeFunction(
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) {
        if open.isTooDeep {
            lostInlines = true
            open.record.calls.removeAll(keepingCapacity: true)
            open.record.intervals.removeAll(keepingCapacity: true)
        }
        lines.appendRows(to: &open.record)
        try budget.spend(UInt64(open.record.rows.count))
        covered += open.record.ranges
        sink.add(open.record)
        isOpen = false
        guard var outer = suspended.popLast() else { return }
        swap(&outer, &open)
        spare.append(outer)
        isOpen = true
    }

    /// - Parameter walk: The walk, positioned at `entry`. It is `inout` although it is not changed,
    ///   because a borrowed value would be copied for every entry, and would stall on the numbers
    ///   just stored in it.
    private mutating func visit(
        _ entry: CodeEntry, of walk: inout Source.Unit.Walk,
        names: inout FunctionNameLookup<Source>, into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> WalkLevels.Level {
        let scope = levels.last?.scope ?? WalkLevels.Scope()
        switch entry.kind {
        case .function:
            let opens = try openFunction(entry, of: &walk, names: &names, into: &sink)
            return WalkLevels.Level(
                depth: entry.depth, scope: WalkLevels.Scope(isInFunction: opens),
                opensFunction: opens)
        case .inlinedCall:
            let inner =
                scope.isInFunction
                ? try addCall(of: &walk, in: scope, names: &names, into: &sink) : scope
            return WalkLevels.Level(depth: entry.depth, scope: inner, opensFunction: false)
        }
    }

    /// Starts a record for a function. Returns `false` if it has no code.
    private mutating func openFunction(
        _ entry: CodeEntry, of walk: inout Source.Unit.Walk,
        names: inout FunctionNameLookup<Source>, into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> Bool {
        try read(&walk)
        if code.isEmpty { return false }
        if isOpen {
            suspended.append(open)
            open = spare.popLast() ?? OpenFunction()
        } else if !sitesWithoutCode.isEmpty {
            sitesWithoutCode.removeAll(keepingCapacity: true)
        }
        isOpen = true
        open.isTooDeep = false
        open.record.removeAll()
        open.record.order = order &+ entry.offset
        if code.count > 1 { code = code.disjoint() }
        open.record.ranges.append(contentsOf: code)
        open.record.name = try names.name(of: NameAttributes(values), in: unit, for: &sink)
        hasFunctions = true
        return true
    }

    /// Adds an inlined call. The children of a call without code belong to its parent, which made
    /// that call: their own call sites are in the function without code.
    private mutating func addCall(
        of walk: inout Source.Unit.Walk, in scope: WalkLevels.Scope,
        names: inout FunctionNameLookup<Source>,
        into sink: inout any DebugRecordSink
    ) throws(DwarfError) -> WalkLevels.Scope {
        if open.isTooDeep { return scope }
        try read(&walk)
        if code.isEmpty { return withoutCode(scope) }
        guard scope.inlineDepth < CodeEntry.inlineLimit else {
            open.isTooDeep = true
            return scope
        }
        let outer = scope.callWithoutCode
        let callSite = outer < 0 ? CallSiteValues(values) : sitesWithoutCode[outer]
        let site = SourcePosition(
            file: try lines.number(ofFile: callSite.file, in: &sink), line: callSite.line,
            column: callSite.column)
        let name = try names.name(of: NameAttributes(values), in: unit, for: &sink)
        hasInlines = true
        let number = open.record.calls.count
        open.record.calls.append(
            InlinedCall(name: name, parent: scope.call < 0 ? nil : scope.call, site: site))
        for range in code {
            open.record.intervals.append(InlinedInterval(range: range, call: number))
        }
        return WalkLevels.Scope(
            isInFunction: true, call: number, inlineDepth: scope.inlineDepth + 1)
    }

    /// Returns the scope of the children of the current entry, a call without code.
    private mutating func withoutCode(_ scope: WalkLevels.Scope) -> WalkLevels.Scope {
        guard scope.callWithoutCode < 0 else { return scope }
        var inner = scope
        inner.callWithoutCode = sitesWithoutCode.count
        sitesWithoutCode.append(CallSiteValues(values))
        return inner
    }

    /// Reads the values of the entry and the ranges of its code.
    private mutating func read(_ walk: inout Source.Unit.Walk) throws(DwarfError) {
        if !code.isEmpty { code.removeAll(keepingCapacity: true) }
        try walk.read(into: &values)
        if let found = values.fault { fault = fault ?? found }
        guard let location = CodeLocation(values) else {
            if values.isExpression(.lowPC) { fault = fault ?? values.unknownExpression }
            return
        }
        do {
            try ranges.append(location, to: &code)
        } catch {
            if error.reason == .workBudget { throw error }
            fault = fault ?? error
            code.removeAll(keepingCapacity: true)
        }
    }
}

/// The call site of an entry, with the file's number in the line table.
private struct CallSiteValues {
    let file: UInt64?
    let line: UInt32
    let column: UInt32

    init(_ values: EntryValues) {
        file = values.unsigned(.callFile)
        line = UInt32(exactly: values.unsigned(.callLine) ?? 0) ?? 0
        column = UInt32(exactly: values.unsigned(.callColumn) ?? 0) ?? 0
    }
}
