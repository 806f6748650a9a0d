import CallStacks
import SymbolIndexes

/// The results of looking up all requested offsets of one image.
struct ImageLookupResults {
    let status: ImageStatus.State
    private(set) var isOfSystem = false
    let architecture: String?
    /// One result per offset of the request; empty if there are no symbols.
    private let results: [FoundOffset]
    /// The functions of all results.
    private let functions: [ResolvedFunction]

    /// Looks up all offsets of a request. If the index fails at one of them, it is damaged, and
    /// none of its results is used.
    init(
        to request: SymbolicationPlan.Request, from supply: SymbolSupply, findsCallStarts: Bool,
        texts: inout LookupTables, budget: inout LookupBudget
    ) {
        switch supply {
        case .missing:
            self.init(status: .missing)
        case .corrupt:
            self.init(status: .corrupt)
        case .remote(let image):
            self.init(at: request.offsets, of: image, texts: &texts)
        case .found(let index), .excerpt(let index):
            do throws(SymbolIndexError) {
                try self.init(
                    at: request.offsets, in: index, findsCallStarts: findsCallStarts,
                    texts: &texts, budget: &budget)
            } catch {
                self.init(status: .corrupt, architecture: index.image.architecture.name)
            }
        }
    }

    /// Adopts the results of a remote provider.
    private init(
        at offsets: ArraySlice<ImageOffset>, of image: RemoteLookupResults,
        texts: inout LookupTables
    ) {
        let architecture = image.architecture?.name
        if image.isCorrupt {
            self.init(status: .corrupt, architecture: architecture)
            return
        }
        var functions: [ResolvedFunction] = []
        let results = offsets.map { offset in
            FoundOffset(image.result(at: offset, texts: &texts), addingTo: &functions)
        }
        self.init(
            status: image.isSymbolTableOnly ? .noDebugInfo : .found, architecture: architecture,
            results: results, functions: functions)
        isOfSystem = image.isOfSystem
    }

    private init(
        at offsets: ArraySlice<ImageOffset>, in index: SymbolIndex, findsCallStarts: Bool,
        texts: inout LookupTables, budget: inout LookupBudget
    ) throws(SymbolIndexError) {
        var lookup = IndexLookup(in: index, findsCallStarts: findsCallStarts)
        lookup.reserveCapacity(offsetCount: offsets.count)
        var results: [FoundOffset] = []
        results.reserveCapacity(offsets.count)
        var functions: [ResolvedFunction] = []
        functions.reserveCapacity(2 * offsets.count)
        for offset in offsets {
            results.append(
                try lookup.find(at: offset, addingTo: &functions, texts: &texts, budget: &budget))
        }
        self.init(
            status: index.lacksDebugInformation ? .noDebugInfo : .found,
            architecture: index.image.architecture.name, results: results, functions: functions)
        isOfSystem = index.isOfSystem
    }

    private init(
        status: ImageStatus.State, architecture: String? = nil, results: [FoundOffset] = [],
        functions: [ResolvedFunction] = []
    ) {
        self.status = status
        self.architecture = architecture
        self.results = results
        self.functions = functions
    }

    /// Whether the image is a system image whose local symbols are missing.
    var hasExportsOnly: Bool { isOfSystem && status == .noDebugInfo }

    /// Returns the result for the offset at `position` of the request.
    func result(at position: Int) -> OffsetResolution {
        if position < results.count { return results[position].resolution(in: functions) }
        return .unresolved(status == .corrupt ? .corruptIndex : .missingImage)
    }
}

/// The result of looking up one offset.
enum OffsetResolution {
    /// The functions, innermost first and never empty. `start` is that of the function that owns
    /// the code, if it is known.
    case functions(ArraySlice<ResolvedFunction>, start: ImageOffset?)
    /// No function covers the offset. `isOutsideCode`: it is past the end of the image's code.
    case unresolved(FrameStatus, isOutsideCode: Bool = false)
}

/// The result of looking up one offset, with its functions in a list of those of several results.
enum FoundOffset {
    case functions(Range<Int>, start: ImageOffset?)
    case unresolved(FrameStatus, isOutsideCode: Bool = false)

    init(_ resolution: OffsetResolution, addingTo functions: inout [ResolvedFunction]) {
        switch resolution {
        case .functions(let found, let start):
            let first = functions.count
            functions += found
            self = .functions(first..<functions.count, start: start)
        case .unresolved(let status, let isOutsideCode):
            self = .unresolved(status, isOutsideCode: isOutsideCode)
        }
    }

    func resolution(in functions: [ResolvedFunction]) -> OffsetResolution {
        switch self {
        case .functions(let range, let start): .functions(functions[range], start: start)
        case .unresolved(let status, let isOutsideCode):
            .unresolved(status, isOutsideCode: isOutsideCode)
        }
    }
}
