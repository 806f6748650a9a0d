import ByteReading
public import CallStacks
import Logging
import Metrics
import SymbolIndexes
public import Symbolication
import Synchronization

/// Symbols of uploaded debug files, from mapped indexes that all workers share.
///
/// Each index is opened once; questions that come meanwhile wait for that. What is open is bounded by
/// bytes, and that nothing is stored is remembered until a debug file arrives.
public final class StoredSymbols: Sendable {
    private struct State {
        var listings = FileListings()
        var cache: IndexCache
        var imagesOfBuilds = ImagesOfBuilds()
    }

    let storage: SymbolStorage
    private let state: Mutex<State>

    /// How often an image is looked up again because its debug file was replaced meanwhile.
    private static let triesLimit = 3

    public init(_ storage: SymbolStorage) {
        self.storage = storage
        state = Mutex(State(cache: IndexCache(bytesLimit: storage.settings.mappedBytes)))
    }

    /// The symbols of the files that an access includes.
    public func seen(by access: SymbolAccess) -> AccessibleSymbols {
        AccessibleSymbols(symbols: self, access: access)
    }

    /// The symbols of an image that was asked about before: two searches in dictionaries.
    func symbolsAtHand(for image: ImageID, _ access: SymbolAccess) -> SymbolSupply? {
        state.withLock { state in
            guard let files = state.listings.files(of: image) else { return nil }
            guard let file = access.choice(among: files) else { return .missing }
            return state.cache.supply(for: file.key)
        }
    }

    func symbols(for image: ImageID, _ access: SymbolAccess) async -> SymbolSupply {
        if let supply = symbolsAtHand(for: image, access) { return supply }
        for _ in 0..<Self.triesLimit {
            guard let files = await files(of: image) else { return .corrupt }
            guard let file = access.choice(among: files) else { return .missing }
            let task = state.withLock { opening(of: file, trustsIndex: true, &$0.cache) }
            if let supply = await task.value { return supply }
            invalidate(image)
        }
        return .corrupt
    }

    /// Builds the index again from the blob, once for all who find it damaged. One that has just been
    /// built and is damaged all the same would not be better the next time.
    func symbols(
        insteadOfDamagedFor image: ImageID, _ access: SymbolAccess
    ) async -> SymbolSupply {
        guard let file = access.choice(among: await files(of: image) ?? [])
        else { return await symbols(for: image, access) }
        let task = state.withLock { state in
            let isNeeded = state.cache.forgetDamaged(file.key)
            return opening(of: file, trustsIndex: !isNeeded, &state.cache)
        }
        if let supply = await task.value { return supply }
        invalidate(image)
        return await symbols(for: image, access)
    }

    /// The stored files of an image, or `nil` if they cannot be read.
    private func files(of image: ImageID) async -> [StoredDebugFile]? {
        let task = state.withLock { state in
            if let files = state.listings.files(of: image) {
                return Task<[StoredDebugFile]?, Never> { files }
            }
            return state.listings.reading(of: image) { number in
                Task { await self.readFiles(of: image, number) }
            }
        }
        return await task.value
    }

    private func readFiles(of image: ImageID, _ number: UInt64) async -> [StoredDebugFile]? {
        var files: [StoredDebugFile]?
        do {
            files = try await storage.catalogue.debugFiles(of: image)
        } catch {
            storage.logger.error("image \(image): cannot be looked up: \(error)")
        }
        state.withLock { [files] in $0.listings.finish(number, of: image, files) }
        return files
    }

    private func opening(
        of file: StoredDebugFile, trustsIndex: Bool, _ cache: inout IndexCache
    ) -> Task<SymbolSupply?, Never> {
        if let supply = cache.supply(for: file.key) { return Task { supply } }
        return cache.opening(of: file.key) { number in
            Task { await self.open(file, number, trustsIndex: trustsIndex) }
        }
    }

    /// `nil` if the file is no longer stored.
    private func open(
        _ file: StoredDebugFile, _ number: UInt64, trustsIndex: Bool
    ) async -> SymbolSupply? {
        let opening = IndexOpening(storage: storage, file: file, trustsIndex: trustsIndex)
        let outcome = await opening.outcome()
        state.withLock { $0.cache.finish(number, of: file.key, outcome) }
        switch outcome {
        case .opened(let mapped, _): return .found(mapped.index)
        case .gone: return nil
        case .unusable, .unknown: return .corrupt
        }
    }

    /// Forgets what is known of an image because a debug file of it arrived or went. Questions
    /// from now on are answered from what is stored now.
    public func invalidate(_ image: ImageID) {
        state.withLock { state in
            state.listings.forget(image)
            state.cache.forget(image)
        }
    }

    /// The images that are the app's by what builds told, for ``Symbolication/InAppRules/images``.
    public func imagesOfBuilds(for access: SymbolAccess = .everything) -> Set<ImageID> {
        state.withLock { $0.imagesOfBuilds.images(for: access) }
    }

    /// Reads the images of all builds from the catalogue.
    public func readImagesOfBuilds() async throws(CatalogueError) {
        let images = try await storage.catalogue.imagesOfBuilds()
        state.withLock { $0.imagesOfBuilds = ImagesOfBuilds(byApp: images) }
    }

    func add(imagesOfBuilds images: [ImageID], of app: String) {
        state.withLock { $0.imagesOfBuilds.add(images, of: app) }
    }
}

/// ``StoredSymbols`` as far as an access includes them.
public struct AccessibleSymbols: SymbolProvider {
    let symbols: StoredSymbols
    let access: SymbolAccess

    public func symbolsAtHand(for image: ImageID) -> SymbolSupply? {
        symbols.symbolsAtHand(for: image, access)
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await symbols.symbols(for: image, access)
    }

    public func symbols(insteadOfDamagedFor image: ImageID) async -> SymbolSupply {
        await symbols.symbols(insteadOfDamagedFor: image, access)
    }
}

extension StoredSymbols {
    /// Of all open indexes, in bytes.
    public var mappedBytes: Int64 { state.withLock { $0.cache.bytes } }

    /// How many indexes are open.
    public var openCount: Int { state.withLock { $0.cache.openCount } }

    /// Tells the catalogue which files were used since the last time.
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
