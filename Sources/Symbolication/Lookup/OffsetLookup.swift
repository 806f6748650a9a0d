public import CallStacks
public import Demangling
import SymbolIndexes

/// Looks up single offsets exactly as given, and returns the debug information unchanged: line 0
/// stays 0, and compiler-generated code has no file. On request, it fills in both as in reports.
public struct OffsetLookup {
    private let provider: any SymbolProvider
    private let demangler: Demangler
    /// Whether code without a line gets the nearest line of its function, and inlined calls get the
    /// start of their code, as in reports.
    private let findsNearestLine: Bool
    /// The image of the last lookup. The next one is usually in the same image.
    private var current: (image: ImageID, lookup: IndexLookup)?
    private var opened: [ImageID: IndexLookup] = [:]
    /// The latest results from a remote provider.
    private var remote: (image: ImageID, symbols: RemoteLookupResults)?
    /// The excerpts, with the offsets that they were fetched for.
    private var excerpts: [ImageID: (offsets: Set<ImageOffset>, lookup: IndexLookup)] = [:]
    private var texts = LookupTables()
    private var demangling = DemanglingBudget()
    private var budget = LookupBudget()
    private var lookupsUntilRenewal = Self.lookupsPerBudget

    /// The number of lookups that share a budget. So names are demangled in a session of any
    /// length, and hostile names cannot delay a lookup for long.
    private static let lookupsPerBudget = 4_096

    public init(
        provider: any SymbolProvider, demangler: Demangler = Demangler(),
        findsNearestLine: Bool = false
    ) {
        self.provider = provider
        self.demangler = demangler
        self.findsNearestLine = findsNearestLine
    }

    /// The names of all functions found so far, by their numbers.
    public var names: [FunctionName] { texts.names.demangled }

    /// The files of all functions found so far, by their numbers.
    public var files: [SourceFile] { texts.files.all }

    /// Returns the result for an offset in the image of the last lookup, without waiting.
    ///
    /// - Returns: `nil` if it is another image, or if its index is missing or damaged. In this case
    ///   call ``result(for:at:)``, which may have to wait.
    public mutating func immediateResult(
        for image: ImageID, at offset: ImageOffset
    ) -> OffsetLookupResult? {
        guard current?.image == image else { return nil }
        return try? lookUp(image, at: offset)
    }

    /// Returns the result for an offset in any image.
    public mutating func result(
        for image: ImageID, at offset: ImageOffset
    ) async -> OffsetLookupResult {
        if let status = await fetch(image, at: [offset]) {
            return OffsetLookupResult(image, offset, status)
        }
        do {
            return try lookUp(image, at: offset)
        } catch {
            current = nil
            excerpts[image] = nil
        }
        // A damaged index can be rebuilt if its debug file is intact.
        if let status = open(image, supply: await provider.symbols(replacingDamagedIndexOf: image))
        {
            return OffsetLookupResult(image, offset, status)
        }
        do {
            return try lookUp(image, at: offset)
        } catch {
            return OffsetLookupResult(image, offset, .corruptIndex)
        }
    }

    /// Prepares lookups of these offsets, so that a remote provider gets all of them in one
    /// request.
    ///
    /// - Returns: The reason why there are no symbols, or `nil` if there are.
    @discardableResult
    public mutating func fetch(_ image: ImageID, at offsets: [ImageOffset]) async -> FrameStatus? {
        if current?.image != image {
            put(back: current)
            current = opened.removeValue(forKey: image).map { (image, $0) }
        }
        if current != nil || hasResults(image, to: offsets) { return nil }
        return open(image, supply: await provider.symbols(for: image, at: offsets), at: offsets)
    }

    /// Whether an offset can be looked up without asking a remote provider.
    public func isReady(for image: ImageID, at offset: ImageOffset) -> Bool {
        current?.image == image || opened[image] != nil || hasResults(image, to: [offset])
    }

    private func hasResults(_ image: ImageID, to offsets: [ImageOffset]) -> Bool {
        if let excerpt = excerpts[image] { return excerpt.offsets.isSuperset(of: offsets) }
        guard let remote, remote.image == image else { return false }
        return offsets.allSatisfy { remote.symbols.results[$0] != nil }
    }

    /// Returns the functions of a result with their texts.
    ///
    /// - Parameter name: The image's name in the frames.
    public func frames(
        of result: OffsetLookupResult, named name: String? = nil
    ) -> [SymbolicatedFrame] {
        let call = CallFrame(
            image: result.image, imageName: name, site: .programCounter(result.offset))
        return result.functions.map { function in
            var frame = SymbolicatedFrame(physical: 0, frame: call, status: function.status)
            frame.take(function, texts: texts)
            frame.isInApp = !result.isOfSystem
            frame.functionDistance = result.distance(in: function)
            return frame
        }
    }

    private mutating func put(back current: (image: ImageID, lookup: IndexLookup)?) {
        if let current { opened[current.image] = current.lookup }
    }

    /// - Parameter offsets: The offsets that were requested from the provider.
    /// - Returns: Why lookups are impossible, or `nil` if they are possible.
    private mutating func open(
        _ image: ImageID, supply: SymbolSupply, at offsets: [ImageOffset] = []
    ) -> FrameStatus? {
        excerpts[image] = nil
        switch supply {
        case .found(let index):
            current = (image, lookup(in: index))
            return nil
        case .excerpt(let index):
            excerpts[image] = (Set(offsets), lookup(in: index))
            return nil
        case .remote(let symbols):
            remote = (image, symbols)
            return symbols.isCorrupt ? .corruptIndex : nil
        case .missing: return .missingImage
        case .corrupt: return .corruptIndex
        }
    }

    private func lookup(in index: SymbolIndex) -> IndexLookup {
        IndexLookup(
            in: index, findsNearestLine: findsNearestLine, findsCallStarts: findsNearestLine)
    }

    private mutating func lookUp(
        _ image: ImageID, at offset: ImageOffset
    ) throws(SymbolIndexError) -> OffsetLookupResult {
        var result = try resolvedResult(image, at: offset)
        let index = current?.lookup.index ?? excerpts[image]?.lookup.index
        let remote = remote.flatMap { $0.image == image ? $0.symbols : nil }
        result.isOfSystem = index?.isOfSystem ?? remote?.isOfSystem ?? false
        return result
    }

    private mutating func resolvedResult(
        _ image: ImageID, at offset: ImageOffset
    ) throws(SymbolIndexError) -> OffsetLookupResult {
        guard let result = try fetchedResult(image, at: offset)
        else { return OffsetLookupResult(image, offset, .notFound) }
        renewBudgets()
        texts.names.demangle(by: demangler, budget: &demangling)
        switch result {
        case .unresolved(let status, let isOutsideCode):
            var result = OffsetLookupResult(image, offset, status)
            result.isOutsideCode = isOutsideCode
            return result
        case .functions(let functions, let start):
            let hasLine = functions.contains { $0.status == .symbolicated }
            return OffsetLookupResult(
                image, offset, hasLine ? .symbolicated : functions.last?.status ?? .notFound,
                functions: Array(functions), functionStart: start)
        }
    }

    private mutating func fetchedResult(
        _ image: ImageID, at offset: ImageOffset
    ) throws(SymbolIndexError) -> OffsetResolution? {
        if let result = try current?.lookup.result(at: offset, texts: &texts, budget: &budget) {
            return result
        }
        if let result = try excerpts[image]?.lookup.result(
            at: offset, texts: &texts, budget: &budget)
        {
            return result
        }
        return remote?.symbols.result(at: offset, texts: &texts)
    }

    private mutating func renewBudgets() {
        lookupsUntilRenewal -= 1
        guard lookupsUntilRenewal <= 0 else { return }
        lookupsUntilRenewal = Self.lookupsPerBudget
        demangling = DemanglingBudget()
        budget = LookupBudget()
    }
}

extension OffsetLookup {
    /// Returns the results for several offsets of one image. If the symbols fail at one offset,
    /// none of the results is used.
    public mutating func lookup(
        of image: ImageID, at offsets: [ImageOffset]
    ) async -> LookedUpImage {
        if let status = await fetch(image, at: offsets) {
            return LookedUpImage(image, status == .missingImage ? .missing : .corrupt)
        }
        var results: [OffsetLookupResult] = []
        for offset in offsets { results.append(await result(for: image, at: offset)) }
        guard let index = current?.lookup.index ?? excerpts[image]?.lookup.index,
            !results.contains(where: { $0.status == .corruptIndex })
        else { return LookedUpImage(image, .corrupt) }
        return LookedUpImage(
            image, index.lacksDebugInformation ? .noDebugInfo : .found,
            architecture: index.image.architecture, base: index.image.base, results: results)
    }
}
