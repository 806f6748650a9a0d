public import CallStacks
public import Demangling

/// Turns the offsets of a diagnostic into functions, files and lines.
///
/// Three steps: plan which images and offsets are wanted, fetch the symbols, apply them. Only the
/// second one waits for anything. No image makes a diagnostic fail: what cannot be resolved stays
/// raw, frame by frame, with its reason.
public struct Symbolicator: Sendable {
    private var provider: any SymbolProvider
    private let demangler: Demangler
    private var inApp: @Sendable () -> InAppRules
    /// Whether ``SymbolicatedFrame/callDistance`` is wanted: only reports in Apple's formats have a
    /// place for it.
    public var findsCallStarts: Bool
    private let knownNames = KnownNames()

    /// - Parameter inApp: Asked for each diagnostic, because what is known of builds grows.
    public init(
        provider: any SymbolProvider, demangler: Demangler = Demangler(),
        inApp: @escaping @Sendable () -> InAppRules = { InAppRules() },
        findsCallStarts: Bool = false
    ) {
        self.findsCallStarts = findsCallStarts
        self.provider = provider
        self.demangler = demangler
        self.inApp = inApp
    }

    /// The same with other symbols and rules. Names that were demangled before stay known.
    public func reading(
        from provider: any SymbolProvider, inApp: @escaping @Sendable () -> InAppRules
    ) -> Self {
        var other = self
        other.provider = provider
        other.inApp = inApp
        return other
    }

    /// The diagnostic with a status for each frame and image.
    public func symbolicate(_ diagnostic: Diagnostic) async -> SymbolicatedDiagnostic {
        let plan = SymbolicationPlan(for: diagnostic)
        let symbols = await FetchedSymbols(for: plan.requests, from: provider)
        return await symbolicate(diagnostic, plan, symbols)
    }

    /// The same with symbols that are at hand. Only what is found damaged is fetched again.
    public func symbolicate(
        _ diagnostic: Diagnostic, mending symbols: FetchedSymbols
    ) async -> SymbolicatedDiagnostic {
        await symbolicate(diagnostic, SymbolicationPlan(for: diagnostic), symbols)
    }

    private func symbolicate(
        _ diagnostic: Diagnostic, _ plan: SymbolicationPlan, _ fetched: FetchedSymbols
    ) async -> SymbolicatedDiagnostic {
        var symbols = fetched
        let report = apply(symbols, to: diagnostic, plan)
        let damaged = report.images.lazy.filter { $0.status == .corrupt }.compactMap(\.image)
            .filter { symbols.isOpened($0) }
        guard !damaged.isEmpty else { return report }
        for image in Array(damaged) {
            symbols[image] = await provider.symbols(insteadOfDamagedFor: image)
        }
        return apply(symbols, to: diagnostic, plan)
    }

    /// The symbols of images, for ``symbolicate(_:with:)``.
    public func symbols(of images: some Sequence<ImageID>) async -> FetchedSymbols {
        await FetchedSymbols(of: images, from: provider)
    }

    /// The diagnostic with a status for each frame and image, by symbols that are at hand. Waits for
    /// nothing.
    public func symbolicate(
        _ diagnostic: Diagnostic, with symbols: FetchedSymbols
    ) -> SymbolicatedDiagnostic {
        apply(symbols, to: diagnostic, SymbolicationPlan(for: diagnostic))
    }

    /// Looks everything up, one image after the other, demangles all names together, and puts the
    /// answers in place of the offsets.
    private func apply(
        _ symbols: FetchedSymbols, to diagnostic: Diagnostic, _ plan: SymbolicationPlan
    ) -> SymbolicatedDiagnostic {
        var budget = LookupBudget()
        var texts = AnswerTexts(known: knownNames)
        let answers = plan.requests.map { request in
            ImageAnswers(
                to: request, from: symbols[request.image], findsCallStarts: findsCallStarts,
                &texts, &budget)
        }
        let given = GivenAnswers(of: diagnostic.tree, &texts) { frame in
            plan.targets[frame].answer(in: answers)
        }
        var demangling = DemanglingBudget()
        texts.names.demangle(by: demangler, &demangling)
        var rows = expand(diagnostic, plan, answers, given, texts)
        for frame in given.frames { rows.add(.nameGiven, toPhysical: frame) }
        for frame in given.suspects { rows.add(.nameSuspect, toPhysical: frame) }
        rows.markDuplicateInnermost(of: diagnostic.tree)
        var remarks: [Remark] = budget.isSpent || rows.isCut ? [.frameLimit] : []
        if demangling.isSpent { remarks.append(.nameLimit) }
        return report(diagnostic, plan, answers, rows, remarks)
    }

    private func expand(
        _ diagnostic: Diagnostic, _ plan: SymbolicationPlan, _ answers: [ImageAnswers],
        _ given: GivenAnswers, _ texts: AnswerTexts
    ) -> Rows {
        var rows = Rows(of: diagnostic.tree, texts: texts)
        var judge = InAppJudge(rules: inApp(), for: diagnostic)
        for (index, target) in plan.targets.enumerated() {
            var frame = diagnostic.tree.frames[index]
            switch target {
            case .unresolvable(let status):
                rows.append(
                    frame, answer: given[index] ?? .unresolved(status),
                    isInApp: judge.isInApp(frame))
            case .lookup(let request, let offset):
                if frame.imageName == nil { frame.imageName = plan.requests[request].name }
                rows.append(
                    frame, answer: given[index] ?? answers[request].answer(at: offset),
                    isInApp: judge.isInApp(frame))
            }
        }
        return rows
    }

    private func report(
        _ diagnostic: Diagnostic, _ plan: SymbolicationPlan, _ answers: [ImageAnswers],
        _ rows: Rows, _ noticed: [Remark]
    ) -> SymbolicatedDiagnostic {
        var remarks = diagnostic.remarks
        for remark in diagnostic.tree.remarks + noticed where !remarks.contains(remark) {
            remarks.append(remark)
        }
        let stacks = diagnostic.tree.stacks.map { received in
            var stack = SymbolicatedStack(
                index: received.index, name: received.name, isAttributed: received.isAttributed,
                frames: rows.rows(of: received.frames), role: received.role, queue: received.queue)
            stack.mark = received.mark
            return stack
        }
        var report = SymbolicatedDiagnostic(
            kind: diagnostic.kind, details: diagnostic.details, status: rows.status, culprit: nil,
            fingerprint: "", form: diagnostic.tree.form, stacks: stacks, frames: rows.frames,
            images: plan.reports(answers, architecture: diagnostic.details.architecture),
            remarks: remarks)
        report.reportedImages = diagnostic.images
        report.addTitle()
        return report
    }
}

extension SymbolicatedDiagnostic {
    /// Fills in what is derived from the rows: exception, culprit, fingerprint.
    fileprivate mutating func addTitle() {
        let representative = representativeRows
        let innermost = representative.first.map { frames[$0].physical }
        let rows = representative.prefix { frames[$0].physical == innermost }.map { frames[$0] }
        let summary = ExceptionSummary(details, innermost: rows)
        exceptionName = summary.name
        exceptionMessage = summary.message
        culpritRow = culprit(among: representative)
        culprit = culpritRow.flatMap { frames[$0].function }
        fingerprint = Fingerprint(of: self, representative: representative).description
    }
}
