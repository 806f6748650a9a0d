import CallStacks

/// The rows of a diagnostic, made of its physical frames and what their offsets were answered.
///
/// One physical frame becomes a chain of rows: the function that owns the code, and the calls that
/// were inlined into it. A chain takes the place of its frame, so what hung at the frame hangs at
/// the end of the chain:
///
///     sampled, outermost first           threads, innermost first
///
///     A 10            A 10               B                i2
///     └ B 7     →     └ B 7              └ A        →     └ i1
///       └ C 4           └ i1 7                              └ B
///                         └ i2 7                              └ A
///                           └ C 4
///
/// Every row has the samples of its frame, so the frame's own samples are left to the innermost
/// one and nothing is counted twice. Parents are found by position in the new list: those of the
/// old list mean other rows as soon as one frame was expanded.
struct Rows {
    private(set) var frames: [SymbolicatedFrame] = []
    private let form: CallStackTree.Form
    private let countsToLookup: Bool
    /// The row at the far end of each physical frame's chain.
    private var ends: [Int] = []
    /// The first row of each physical frame.
    private var starts: [Int] = []
    private let texts: AnswerTexts
    private var budget: LookupBudget

    init(
        of tree: CallStackTree, texts: AnswerTexts, budget: LookupBudget = LookupBudget()
    ) {
        let capacity = tree.frames.count
        form = tree.form
        countsToLookup = tree.countsToLookup
        self.texts = texts
        self.budget = budget
        frames.reserveCapacity(capacity)
        ends.reserveCapacity(capacity)
        starts.reserveCapacity(capacity)
    }

    /// Whether inlined calls were left out.
    var isCut: Bool { budget.isSpent }

    /// Adds the rows of the next physical frame.
    mutating func append(_ frame: CallFrame, answer: OffsetAnswer, isInApp: Bool) {
        let physical = ends.count
        starts.append(frames.count)
        var row = SymbolicatedFrame(physical: physical, frame: frame, status: .badOffset)
        row.isInApp = isInApp
        row.parent = frame.parent.flatMap { $0 < physical ? ends[$0] : nil }
        switch answer {
        case .unresolved(let status, let isOutsideCode):
            row.status = status
            if isOutsideCode { row.add(.offsetOutsideText) }
            frames.append(row)
        case .functions(let functions, let start):
            append(row, for: kept(functions), of: frame, start: start)
        }
        ends.append(frames.count - 1)
    }

    /// Adds a row for each function of one physical frame.
    ///
    /// - Parameters:
    ///   - row: What all of them have in common, with the parent of the first one.
    ///   - start: Of the function that owns the code.
    private mutating func append(
        _ row: SymbolicatedFrame, for functions: ArraySlice<AnsweredFunction>, of frame: CallFrame,
        start: ImageOffset?
    ) {
        var row = row
        let offset = frame.countedOffset(toLookup: countsToLookup)
        let distance = offset?.distance(from: start)
        let order = functions.indices
        for step in 0..<order.count {
            let place = form == .sampled ? order.upperBound - 1 - step : order.lowerBound + step
            let function = functions[place]
            row.take(function, texts)
            row.functionDistance = function.isInlined ? nil : function.givenDistance ?? distance
            row.callDistance =
                function.isInlined
                ? function.givenDistance ?? offset?.distance(from: function.callStart) : nil
            frames.append(row)
            row.parent = frames.count - 1
        }
    }

    /// The rows of a range of physical frames.
    func rows(of physical: Range<Int>) -> Range<Int> {
        func row(_ index: Int) -> Int { index < starts.count ? starts[index] : frames.count }
        return row(physical.lowerBound)..<row(physical.upperBound)
    }

    /// Marks every row of a physical frame.
    mutating func add(_ remark: Remark, toPhysical physical: Int) {
        for row in rows(of: physical..<physical + 1) { frames[row].add(remark) }
    }

    private mutating func kept(_ functions: [AnsweredFunction]) -> ArraySlice<AnsweredFunction> {
        budget.allows(inlinedCalls: functions.count - 1) ? functions[...] : functions.suffix(1)
    }
}

extension CallFrame {
    /// What distances are counted to: the offset as received, or as it is looked up.
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
    mutating func take(_ answer: AnsweredFunction, _ texts: AnswerTexts) {
        status = answer.status
        isCompilerGenerated = !answer.isWritten
        hasUnwrittenFile = answer.hasUnwrittenFile
        let name = answer.name.map { texts.names.demangled[$0] }
        function = name?.shown
        mangled = name?.linkageName
        if name?.isCompilerGenerated == true { isCompilerGenerated = true }
        file = answer.file.map { texts.files.all[$0] }
        line = answer.line
        column = answer.column
        isApproximate = answer.isApproximate
        isInlined = answer.isInlined
    }

    fileprivate mutating func add(_ remark: Remark) {
        if !remarks.contains(remark) { remarks.append(remark) }
    }
}
