import CallStacks
import Logging
import Symbolication
import Synchronization

/// Symbols of uploaded debug files, from mapped indexes shared by all threads.
///
/// Each index is opened once; concurrent requests wait for the same task. Open indexes are bounded
/// by their size. A miss is cached until a file of the image is stored.
public final class StoredSymbolIndexes: Sendable {
    struct State {
        var listings = CatalogueCache()
        var cache: IndexCache
        var delayed = DelayedIndexes()
        var appImages = AppImages()
        var lastReflected: Int64 = 0

        mutating func reflect(_ changes: SymbolChangeList, after last: Int64) {
            // A catalogue that was restored from a backup reuses the numbers of lost changes.
            let isRestored = changes.lastNumber < last
            if let images = changes.images, !isRestored {
                forget(images)
            } else {
                listings.forgetAll()
                cache.forgetAll()
                delayed.retryAll()
            }
            // Another call may have reflected later changes meanwhile.
            lastReflected =
                isRestored ? changes.lastNumber : max(lastReflected, changes.lastNumber)
        }

        /// Returns a file's index or its failure, or `nil` if the index has to be opened.
        mutating func supply(for file: DebugFileKey) -> SymbolSupply? {
            cache.supply(for: file) ?? (delayed.contains(file) ? .missing : nil)
        }

        /// Makes later lookups use the current files of some images.
        mutating func forget(_ images: Set<ImageID>) {
            for image in images { listings.forget(image) }
            cache.forget(images)
            delayed.retry(images)
        }
    }

    let storage: SymbolStorage
    let state: Mutex<State>

    /// The number of attempts while the debug file of an image keeps being replaced.
    private static let triesLimit = 3

    public init(_ storage: SymbolStorage) {
        self.storage = storage
        state = Mutex(State(cache: IndexCache(bytesLimit: storage.settings.mappedBytes)))
    }

    /// Returns the symbols of the files that an access includes.
    public func provider(for access: DebugFileAccess) -> StoredSymbolProvider {
        StoredSymbolProvider(symbols: self, access: access)
    }

    /// Returns the symbols of an image that was requested before. Takes only two dictionary
    /// lookups.
    func cachedSymbols(for image: ImageID, access: DebugFileAccess) -> SymbolSupply? {
        state.withLock { state in
            guard let files = state.listings.files(of: image) else { return nil }
            guard let file = access.choice(among: files), !file.isSupplement else {
                return .missing
            }
            return state.supply(for: file.key)
        }
    }

    /// Returns the debug file of an image that was requested before.
    func cachedFile(of image: ImageID, access: DebugFileAccess) -> StoredDebugFile? {
        state.withLock { $0.listings.files(of: image) }.flatMap { access.choice(among: $0) }
    }

    func symbols(for image: ImageID, access: DebugFileAccess) async -> SymbolSupply {
        if let supply = cachedSymbols(for: image, access: access) { return supply }
        for _ in 0..<Self.triesLimit {
            guard let files = await files(of: image) else { return .corrupt }
            guard let file = access.choice(among: files), !file.isSupplement else {
                return .missing
            }
            if let supply = await supply(for: file, from: opening(of: file)) { return supply }
            invalidate(image)
        }
        return .corrupt
    }

    /// Waits for an index that is being opened, for a limited time.
    ///
    /// - Returns: `nil` if the file is no longer stored.
    private func supply(
        for file: StoredDebugFile, from task: Task<SymbolSupply?, Never>
    ) async -> SymbolSupply? {
        guard let limit = storage.settings.cacheWait else { return await task.value }
        if let supply = await value(of: task, within: limit) { return supply }
        addDelay(of: file)
        return .missing
    }

    /// Rebuilds a damaged index from its blob, once for all concurrent requests. An index that was
    /// rebuilt recently and is damaged again is not rebuilt, because the result would be the same.
    func symbols(
        replacingDamagedIndexOf image: ImageID, access: DebugFileAccess
    ) async -> SymbolSupply {
        guard let file = access.choice(among: await files(of: image) ?? [])
        else { return await symbols(for: image, access: access) }
        let task = state.withLock { state in
            let isNeeded = state.cache.forgetDamaged(file.key)
            return opening(of: file, trustsIndex: !isNeeded, cache: &state.cache)
        }
        if let supply = await supply(for: file, from: task) { return supply }
        invalidate(image)
        return await symbols(for: image, access: access)
    }

    /// Returns the stored files of an image, or `nil` if they cannot be read.
    func files(of image: ImageID) async -> [StoredDebugFile]? {
        let task = state.withLock { state in
            if let files = state.listings.files(of: image) {
                return Task<[StoredDebugFile]?, Never> { files }
            }
            return state.listings.reading(of: image) { number in
                Task { await self.readFiles(of: image, number: number) }
            }
        }
        return await task.value
    }

    private func readFiles(of image: ImageID, number: UInt64) async -> [StoredDebugFile]? {
        var files: [StoredDebugFile]?
        do {
            files = try await storage.catalogue.debugFiles(of: image)
        } catch {
            storage.logger.error("image \(image): lookup failed: \(error)")
        }
        state.withLock { [files] in $0.listings.finish(number, of: image, files) }
        return files
    }

    /// Returns the task that opens a file's index.
    func opening(of file: StoredDebugFile) -> Task<SymbolSupply?, Never> {
        state.withLock { opening(of: file, trustsIndex: true, cache: &$0.cache) }
    }

    private func opening(
        of file: StoredDebugFile, trustsIndex: Bool, cache: inout IndexCache
    ) -> Task<SymbolSupply?, Never> {
        if let supply = cache.supply(for: file.key) { return Task { supply } }
        return cache.opening(of: file.key) { number in
            Task { await self.open(file, number: number, trustsIndex: trustsIndex) }
        }
    }

    /// Opens a file's index; returns `nil` if the file is no longer stored.
    private func open(
        _ file: StoredDebugFile, number: UInt64, trustsIndex: Bool
    ) async -> SymbolSupply? {
        let opening = IndexLoader(storage: storage, file: file, trustsIndex: trustsIndex)
        let outcome = await opening.outcome()
        state.withLock { state in
            state.cache.finish(number, of: file.key, outcome)
            if case .unavailable = outcome { state.delayed.add(file) }
        }
        limitLocalFiles()
        switch outcome {
        case .opened(let mapped, _): return .found(mapped.index)
        case .removed: return nil
        case .unavailable: return .missing
        case .unusable, .unknown: return .corrupt
        }
    }
}
