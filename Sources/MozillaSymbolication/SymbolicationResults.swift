import CallStacks
import SymbolIndexes
public import SymbolIntake
import Symbolication

/// The results of all lookups of a request, once per distinct offset of an image.
public struct SymbolicationResults: Sendable {
    /// The symbols of a module.
    enum ModuleStatus: Hashable, Sendable {
        case found(ImageID)
        /// A symbol table without debug information.
        case noDebugInfo(ImageID)
        case failed(FrameStatus, String)

        var image: ImageID? {
            switch self {
            case .found(let image), .noDebugInfo(let image): image
            case .failed: nil
            }
        }
    }

    struct Key: Hashable, Sendable {
        var image: ImageID
        var offset: ImageOffset
    }

    private(set) var modules: [SymbolicationQuery.Module: ModuleStatus] = [:]
    private(set) var results: [Key: OffsetLookupResult] = [:]
    /// The ends of functions, by image and start.
    private(set) var functionEnds: [Key: ImageOffset] = [:]
    private(set) var names: [FunctionName] = []
    private(set) var files: [SourceFile] = []

    /// The number of index entries that searches for the ends of functions may read.
    private static let entryLimit = 4_000_000

    /// Looks up all offsets as given. A module without symbols affects only its own frames.
    public init(
        for query: SymbolicationQuery, in symbols: StoredSymbolIndexes, for access: DebugFileAccess
    ) async throws {
        let provider = symbols.provider(for: access)
        var lookup = OffsetLookup(provider: provider, findsNearestLine: true)
        var entryBudget = Self.entryLimit
        for (module, offsets) in Self.offsets(of: query) {
            let status = try await Self.image(of: module, in: symbols, access: access)
            modules[module] = status
            guard let image = status.image else { continue }
            let found = await lookup.lookup(of: image, at: offsets.map { ImageOffset($0) })
            modules[module] = Self.status(found)
            for result in found.results {
                results[Key(image: image, offset: result.offset)] = result
            }
            if case .found(let index) = await provider.symbols(for: image) {
                addFunctionEnds(of: found, in: index, budget: &entryBudget)
            }
        }
        names = lookup.names
        files = lookup.files
    }

    private static func offsets(
        of query: SymbolicationQuery
    ) -> [(SymbolicationQuery.Module, Set<UInt64>)] {
        var offsets: [SymbolicationQuery.Module: Set<UInt64>] = [:]
        for job in query.jobs {
            for frame in job.stacks.joined() {
                guard let module = frame.module else { continue }
                offsets[job.modules[module], default: []].formUnion(frame.offset.map { [$0] } ?? [])
            }
        }
        return offsets.map { ($0.key, $0.value) }
    }

    private static func image(
        of module: SymbolicationQuery.Module, in symbols: StoredSymbolIndexes,
        access: DebugFileAccess
    ) async throws -> ModuleStatus {
        guard let id = DebugID(module.debugID) else {
            return .failed(.unknownImage, "\(module.debugID): not a debug ID")
        }
        guard let image = try await symbols.image(with: id, for: access) else {
            return .failed(.missingImage, "no symbols uploaded for \(module.key)")
        }
        return .found(image)
    }

    private static func status(_ found: LookedUpImage) -> ModuleStatus {
        switch found.status {
        case .found: .found(found.image)
        case .noDebugInfo: .noDebugInfo(found.image)
        case .corrupt: .failed(.corruptIndex, "the index of \(found.image) is damaged")
        case .missing, .unidentified: .failed(.missingImage, "no symbols for \(found.image)")
        }
    }

    /// Adds the ends of functions. An end is omitted if its index is damaged or the budget is
    /// spent.
    private mutating func addFunctionEnds(
        of found: LookedUpImage, in index: SymbolIndex, budget: inout Int
    ) {
        for result in found.results {
            guard let start = result.functionStart else { continue }
            let key = Key(image: found.image, offset: start)
            guard functionEnds[key] == nil,
                let end = try? index.functionEnd(at: result.offset, budget: &budget)
            else { continue }
            functionEnds[key] = end
        }
    }
}
