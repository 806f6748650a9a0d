import ByteReading
public import CallStacks
import Metrics
import SymbolIndexes
public import Symbolication
import Synchronization

/// Symbols of uploaded debug files, from mapped indexes that all workers share.
///
/// Each image is opened once; whoever asks meanwhile waits for that. What is open is bounded by
/// bytes, and that nothing is stored is remembered until a debug file arrives.
public final class StoredSymbols: SymbolProvider {
    private struct State {
        var cache: IndexCache
        var imagesOfBuilds: Set<ImageID> = []
    }

    let storage: SymbolStorage
    private let state: Mutex<State>

    public init(_ storage: SymbolStorage) {
        self.storage = storage
        state = Mutex(State(cache: IndexCache(bytesLimit: storage.settings.mappedBytes)))
    }

    /// The symbols of an image that was asked about before: one search in a dictionary.
    public func symbolsAtHand(for image: ImageID) -> SymbolSupply? {
        state.withLock { $0.cache.supply(for: image) }
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        if let supply = symbolsAtHand(for: image) { return supply }
        return await state.withLock { opening(of: image, trustsIndex: true, &$0.cache) }.value
    }

    /// Builds the index again from the blob, once for all who find it damaged. One that has just been
    /// built and is damaged all the same would not be better the next time.
    public func symbols(insteadOfDamagedFor image: ImageID) async -> SymbolSupply {
        let task = state.withLock { state in
            let isNeeded = state.cache.forgetDamaged(image)
            return opening(of: image, trustsIndex: !isNeeded, &state.cache)
        }
        return await task.value
    }

    private func opening(
        of image: ImageID, trustsIndex: Bool, _ cache: inout IndexCache
    ) -> Task<SymbolSupply, Never> {
        if let supply = cache.supply(for: image) { return Task { supply } }
        return cache.opening(of: image) { number in
            Task { await self.open(image, number, trustsIndex: trustsIndex) }
        }
    }

    private func open(
        _ image: ImageID, _ number: UInt64, trustsIndex: Bool
    ) async -> SymbolSupply {
        let opening = IndexOpening(storage: storage, image: image, trustsIndex: trustsIndex)
        let outcome = await opening.outcome()
        state.withLock { $0.cache.finish(number, of: image, outcome) }
        switch outcome {
        case .opened(let mapped, _): return .found(mapped.index)
        case .missing: return .missing
        case .unusable, .unknown: return .corrupt
        }
    }

    /// Forgets what is known of an image because its debug file arrived or went. Whoever asks from
    /// now on gets what is stored now.
    public func invalidate(_ image: ImageID) {
        state.withLock { $0.cache.forget(image) }
    }

    /// The images that are the app's by what builds told, for ``Symbolication/InAppRules/images``.
    public var imagesOfBuilds: Set<ImageID> { state.withLock { $0.imagesOfBuilds } }

    /// Reads the images of all builds from the catalogue.
    public func readImagesOfBuilds() async throws(CatalogueError) {
        let images = try await storage.catalogue.imagesOfBuilds()
        state.withLock { $0.imagesOfBuilds = images }
    }

    func add(imagesOfBuilds images: [ImageID]) {
        state.withLock { $0.imagesOfBuilds.formUnion(images) }
    }
}

extension StoredSymbols {
    /// Of all open indexes, in bytes.
    public var mappedBytes: Int64 { state.withLock { $0.cache.bytes } }

    /// How many indexes are open.
    public var openCount: Int { state.withLock { $0.cache.openCount } }

    /// Tells the catalogue which images were used since the last time.
    func noteUses() async throws(CatalogueError) {
        let used = state.withLock { $0.cache.takeUsed() }
        if !used.isEmpty { try await storage.catalogue.markUsed(used, at: .now()) }
    }

    /// Gives pages of indexes back to the system, those that were not used for longest first, until
    /// the files that are mapped take no more than the limit. A page that is wanted again is mostly
    /// still in the system's cache.
    func giveBackPages() {
        guard ResidentMemory.ofFiles > storage.settings.residentBytes else { return }
        let all = state.withLock { $0.cache.bytesInOrderOfUse() }
        for (number, bytes) in all.enumerated() {
            bytes.release(0..<bytes.count)
            // To measure costs more than to release.
            if number % 64 == 63, ResidentMemory.ofFiles <= storage.settings.residentBytes {
                return
            }
        }
    }

    func report() {
        Gauge(label: "symbolist_mapped_index_bytes").record(mappedBytes)
        Gauge(label: "symbolist_mapped_indexes").record(openCount)
    }
}
