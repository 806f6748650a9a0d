import CallStacks
import SymbolIndexes

/// The results of looking up all requested offsets of one image.
struct ImageLookupResults {
    let status: ImageStatus.State
    private(set) var isOfSystem = false
    let architecture: String?
    /// One result per offset of the request; empty if there are no symbols.
    private let results: [OffsetResolution]

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
            let architecture = image.architecture?.name
            if image.isCorrupt {
                self.init(status: .corrupt, architecture: architecture)
                return
            }
            self.init(
                status: image.isSymbolTableOnly ? .noDebugInfo : .found, architecture: architecture,
                results: request.offsets.map { image.result(at: $0, texts: &texts) })
            isOfSystem = image.isOfSystem
        case .found(let index), .excerpt(let index):
            let architecture = index.image.architecture.name
            do throws(SymbolIndexError) {
                var lookup = IndexLookup(in: index, findsCallStarts: findsCallStarts)
                var results: [OffsetResolution] = []
                results.reserveCapacity(request.offsets.count)
                for offset in request.offsets {
                    results.append(try lookup.result(at: offset, texts: &texts, budget: &budget))
                }
                self.init(
                    status: index.lacksDebugInformation ? .noDebugInfo : .found,
                    architecture: architecture, results: results)
                isOfSystem = index.isOfSystem
            } catch {
                self.init(status: .corrupt, architecture: architecture)
            }
        }
    }

    private init(
        status: ImageStatus.State, architecture: String? = nil, results: [OffsetResolution] = []
    ) {
        self.status = status
        self.architecture = architecture
        self.results = results
    }

    /// Whether the image is a system image whose local symbols are missing.
    var hasExportsOnly: Bool { isOfSystem && status == .noDebugInfo }

    /// Returns the result for the offset at `position` of the request.
    func result(at position: Int) -> OffsetResolution {
        if position < results.count { return results[position] }
        return .unresolved(status == .corrupt ? .corruptIndex : .missingImage)
    }
}

/// The result of looking up one offset.
enum OffsetResolution {
    /// The functions, innermost first and never empty. `start` is that of the function that owns
    /// the code, if it is known.
    case functions([ResolvedFunction], start: ImageOffset?)
    /// No function covers the offset. `isOutsideCode`: it is past the end of the image's code.
    case unresolved(FrameStatus, isOutsideCode: Bool = false)
}
