import CallStacks

/// The frames of a symbolicated diagnostic, expanded from its physical frames and their results.
///
/// One physical frame becomes a chain: a frame for the function that owns the code, and one for
/// each call that was inlined into it. The chain replaces the physical frame, whose children are
/// attached to the end of the chain:
///
///     sampled, outermost first           threads, innermost first
///
///     A 10            A 10               B                i2
///     └ B 7     →     └ B 7              └ A        →     └ i1
///       └ C 4           └ i1 7                              └ B
///                         └ i2 7                              └ A
///                           └ C 4
///
/// Every frame of a chain has the samples of the physical frame, so its own samples belong to the
/// innermost one and are not counted twice. Parents refer to the new list: after the first chain,
/// the positions of the two lists differ.
struct ExpandedFrames {
    private(set) var frames: [SymbolicatedFrame] = []
    private let form: CallStackTree.Form
    private let distancesEndAtLookupOffset: Bool
    /// The last frame of each physical frame's chain.
    private var ends: [Int] = []
    /// The first frame of each physical frame's chain.
    private var starts: [Int] = []
    private let texts: LookupTables
    private var budget: LookupBudget

    init(
        of tree: CallStackTree, texts: LookupTables, budget: LookupBudget = LookupBudget()
    ) {
        let capacity = tree.frames.count
        form = tree.form
        distancesEndAtLookupOffset = tree.distancesEndAtLookupOffset
        self.texts = texts
        self.budget = budget
        // Inlined calls add about a third, and growing would copy all frames.
        frames.reserveCapacity(capacity + capacity / 2)
        ends.reserveCapacity(capacity)
        starts.reserveCapacity(capacity)
    }

    /// Whether inlined calls were dropped because of the budget.
    var isTruncated: Bool { budget.isSpent }

    /// Adds the frames of the next physical frame.
    ///
    /// - Parameter name: The name of its image.
    mutating func append(
        _ frame: CallFrame, named name: String?, result: OffsetResolution, isInApp: Bool
    ) {
        let physical = ends.count
        starts.append(frames.count)
        var row = SymbolicatedFrame(physical: physical, frame: frame, status: .badOffset)
        row.imageName = name
        row.isInApp = isInApp
        row.parent = frame.parent.flatMap { $0 < physical ? ends[$0] : nil }
        switch result {
        case .unresolved(let status, let isOutsideCode):
            row.status = status
            if isOutsideCode { row.add(.offsetOutsideText) }
            frames.append(row)
        case .functions(let functions, let start):
            append(row, for: kept(functions), of: frame, start: start)
        }
        ends.append(frames.count - 1)
    }

    /// Adds a frame for each function of one physical frame.
    ///
    /// - Parameters:
    ///   - row: The values that all of them share, with the parent of the first one.
    ///   - start: The start of the function that owns the code.
    private mutating func append(
        _ row: SymbolicatedFrame, for functions: ArraySlice<ResolvedFunction>, of frame: CallFrame,
        start: ImageOffset?
    ) {
        let offset = frame.countedOffset(toLookup: distancesEndAtLookupOffset)
        let distance = offset?.distance(from: start)
        let order = functions.indices
        for step in 0..<order.count {
            let index = form == .sampled ? order.upperBound - 1 - step : order.lowerBound + step
            let function = functions[index]
            let last = frames.count
            // Changed in place, because a row with a function has more references to count.
            frames.append(row)
            frames[last].take(function, texts: texts)
            frames[last].functionDistance =
                function.isInlined ? nil : function.reportedDistance ?? distance
            frames[last].callDistance =
                function.isInlined
                ? function.reportedDistance ?? offset?.distance(from: function.callStart) : nil
            if step > 0 { frames[last].parent = last - 1 }
        }
    }

    /// Returns the frames of a range of physical frames.
    func rows(of physical: Range<Int>) -> Range<Int> {
        func row(_ index: Int) -> Int { index < starts.count ? starts[index] : frames.count }
        return row(physical.lowerBound)..<row(physical.upperBound)
    }

    /// Adds a remark to every frame of a physical frame.
    mutating func add(_ remark: Remark, toPhysical physical: Int) {
        for row in rows(of: physical..<physical + 1) { frames[row].add(remark) }
    }

    private mutating func kept(
        _ functions: ArraySlice<ResolvedFunction>
    ) -> ArraySlice<ResolvedFunction> {
        budget.allows(inlinedCalls: functions.count - 1) ? functions : functions.suffix(1)
    }
}

extension CallFrame {
    /// Returns the offset at which distances end: as received, or as looked up.
    func countedOffset(toLookup: Bool) -> ImageOffset? {
        toLookup ? site?.lookupOffset : site?.offset
    }
}

extension ImageOffset {
    fileprivate func distance(from start: ImageOffset?) -> UInt64? {
        guard let start, self >= start else { return nil }
        return rawValue - start.rawValue
    }
}

extension SymbolicatedFrame {
    mutating func take(_ result: ResolvedFunction, texts: LookupTables) {
        status = result.status
        isCompilerGenerated = !result.isInSourceFile
        hasCompilerGeneratedFile = result.hasCompilerGeneratedFile
        let name = result.name.map { texts.names.demangled[$0] }
        function = name?.shown
        mangled = name?.linkageName
        if name?.isCompilerGenerated == true { isCompilerGenerated = true }
        file = result.file.map { texts.files.all[$0] }
        line = result.line
        column = result.column
        isApproximate = result.isApproximate
        isInlined = result.isInlined
    }

    fileprivate mutating func add(_ remark: Remark) {
        if !remarks.contains(remark) { remarks.append(remark) }
    }
}
