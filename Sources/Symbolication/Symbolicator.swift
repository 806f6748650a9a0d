public import CallStacks
public import Demangling

/// Converts the offsets of a diagnostic to functions, files and lines.
///
/// There are three steps: plan the images and offsets to look up, fetch the symbols, and apply
/// them. Only the second one waits. No image makes a diagnostic fail: a frame that cannot be
/// resolved stays raw, and its status is the reason.
public struct Symbolicator: Sendable {
    private(set) var provider: any SymbolProvider
    private let demangler: Demangler
    private(set) var inApp: @Sendable () -> InAppRules
    /// Whether to compute ``SymbolicatedFrame/callDistance``, which only reports in Apple's formats
    /// have.
    public var findsCallStarts: Bool
    private let knownNames = DemangledNameCache()
    private let indexedTexts = IndexedTextCache()

    /// - Parameter inApp: Returns the rules for app frames. Called for each diagnostic, because new
    ///   builds change the rules.
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

    /// Returns a symbolicator with another provider and rules, which shares the caches of
    /// names and files.
    public func reading(
        from provider: any SymbolProvider, inApp: @escaping @Sendable () -> InAppRules
    ) -> Self {
        var other = self
        other.provider = provider
        other.inApp = inApp
        return other
    }

    /// Returns the diagnostic with a status for each frame and image.
    public func symbolicate(_ diagnostic: Diagnostic) async -> SymbolicatedDiagnostic {
        let plan = SymbolicationPlan(for: diagnostic)
        let symbols = await FetchedSymbols(for: plan.requests, from: provider)
        return await symbolicate(diagnostic, plan: plan, fetched: symbols)
    }

    /// Symbolicates with fetched symbols, and fetches only damaged ones again.
    public func symbolicate(
        _ diagnostic: Diagnostic, refetchingDamagedIn symbols: FetchedSymbols
    ) async -> SymbolicatedDiagnostic {
        await symbolicate(diagnostic, plan: SymbolicationPlan(for: diagnostic), fetched: symbols)
    }

    private func symbolicate(
        _ diagnostic: Diagnostic, plan: SymbolicationPlan, fetched: FetchedSymbols
    ) async -> SymbolicatedDiagnostic {
        var symbols = fetched
        let report = apply(symbols, to: diagnostic, plan: plan)
        let damaged = report.images.lazy.filter { $0.status == .corrupt }.compactMap(\.image)
            .filter { symbols.isOpened($0) }
        guard !damaged.isEmpty else { return report }
        for image in Array(damaged) {
            symbols[image] = await provider.symbols(replacingDamagedIndexOf: image)
        }
        return apply(symbols, to: diagnostic, plan: plan)
    }

    /// Fetches the symbols of images, for ``symbolicate(_:with:)``.
    public func symbols(of images: [ImageID]) async -> FetchedSymbols {
        await FetchedSymbols(of: images, from: provider)
    }

    /// Symbolicates with fetched symbols, without waiting.
    public func symbolicate(
        _ diagnostic: Diagnostic, with symbols: FetchedSymbols
    ) -> SymbolicatedDiagnostic {
        apply(symbols, to: diagnostic, plan: SymbolicationPlan(for: diagnostic))
    }

    /// Looks up all offsets, one image after another, demangles all names together, and replaces
    /// the offsets by the results.
    private func apply(
        _ symbols: FetchedSymbols, to diagnostic: Diagnostic, plan: SymbolicationPlan
    ) -> SymbolicatedDiagnostic {
        var budget = LookupBudget()
        var texts = LookupTables(known: knownNames, indexed: indexedTexts)
        let results = plan.requests.map { request in
            ImageLookupResults(
                to: request, from: symbols[request.image], findsCallStarts: findsCallStarts,
                texts: &texts, budget: &budget)
        }
        var named = plan
        named.addNames { results[$0].status == .missing ? nil : provider.imageName(of: $1) }
        let given = ReportedFunctionOverrides(
            of: diagnostic.tree, texts: &texts,
            hasExportsOnly: { plan.targets[$0].hasExportsOnly(in: results) },
            resultAt: { plan.targets[$0].result(in: results) })
        var demangling = DemanglingBudget()
        texts.names.demangle(by: demangler, budget: &demangling)
        let rules = inApp()
        var rows = expand(
            diagnostic, plan: named, results: results, given: given, texts: texts, rules: rules)
        for frame in given.frames { rows.add(.nameGiven, toPhysical: frame) }
        for frame in given.suspects { rows.add(.nameSuspect, toPhysical: frame) }
        rows.markDuplicateInnermost(of: diagnostic)
        var remarks: [Remark] = budget.isSpent || rows.isTruncated ? [.frameLimit] : []
        if demangling.isSpent { remarks.append(.nameLimit) }
        var report = report(
            diagnostic, plan: named, results: results, rows: rows, noticed: remarks)
        report.markImages(inBuilds: rules.images)
        return report
    }

    private func expand(
        _ diagnostic: Diagnostic, plan: SymbolicationPlan, results: [ImageLookupResults],
        given: ReportedFunctionOverrides, texts: LookupTables, rules: InAppRules
    ) -> ExpandedFrames {
        var rows = ExpandedFrames(of: diagnostic.tree, texts: texts)
        let systemImages = zip(plan.requests, results).filter { $1.isOfSystem }.map { $0.0.image }
        var classifier = InAppClassifier(
            rules: rules, for: diagnostic, systemImages: Set(systemImages))
        // A span yields frames without copying them.
        let frames = diagnostic.tree.frames.span
        for (index, target) in plan.targets.enumerated() {
            var name = frames[index].imageName
            if case .lookup(let request, _) = target { name = name ?? plan.requests[request].name }
            rows.append(
                frames[index], named: name, result: given[index] ?? target.result(in: results),
                isInApp: classifier.isInApp(frames[index], named: name))
        }
        return rows
    }

    private func report(
        _ diagnostic: Diagnostic, plan: SymbolicationPlan, results: [ImageLookupResults],
        rows: ExpandedFrames, noticed: [Remark]
    ) -> SymbolicatedDiagnostic {
        var remarks = diagnostic.remarks
        for remark in diagnostic.tree.remarks + noticed where !remarks.contains(remark) {
            remarks.append(remark)
        }
        let stacks = diagnostic.tree.stacks.map { received in
            var stack = received
            stack.frames = rows.rows(of: received.frames)
            return stack
        }
        var report = SymbolicatedDiagnostic(
            kind: diagnostic.kind, details: diagnostic.details, status: rows.status, culprit: nil,
            fingerprint: "", form: diagnostic.tree.form, stacks: stacks, frames: rows.frames,
            images: plan.imageStatuses(results, in: diagnostic),
            remarks: remarks)
        report.listedImages = diagnostic.images
        report.addTitle()
        return report
    }
}

extension SymbolicatedDiagnostic {
    fileprivate mutating func markImages(inBuilds listed: Set<ImageID>) {
        guard !listed.isEmpty else { return }
        for index in images.indices {
            images[index].isInBuild = images[index].image.map(listed.contains) ?? false
        }
    }

    /// Fills in the values derived from the frames: exception, culprit, fingerprint.
    fileprivate mutating func addTitle() {
        let representative = representativeFrames
        let innermost = representative.first.map { frames[$0].physical }
        let rows = representative.prefix { frames[$0].physical == innermost }.map { frames[$0] }
        let summary = ExceptionSummary(details, kind: kind, form: form, innermost: rows)
        exceptionName = summary.name
        exceptionMessage = summary.message
        culpritIndex = dominantFunction ?? culprit(among: representative)
        culprit = culpritIndex.flatMap { frames[$0].functionTitle }
        fingerprint = Fingerprint(of: self, representative: representative).description
    }
}
