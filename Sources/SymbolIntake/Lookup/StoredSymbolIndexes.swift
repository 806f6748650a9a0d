import ByteReading
public import CallStacks
import Logging
import Metrics
import SymbolIndexes
import SymbolStores
public import Symbolication
import Synchronization

/// Symbols of uploaded debug files, from mapped indexes shared by all threads.
///
/// Each index is opened once; concurrent requests wait for the same task. Open indexes are bounded
/// by their size. A miss is cached until a file of the image is stored.
public final class StoredSymbolIndexes: Sendable {
    private struct State {
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
    private let state: Mutex<State>

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
            guard let file = access.choice(among: files) else { return .missing }
            return state.supply(for: file.key)
        }
    }

    func symbols(for image: ImageID, access: DebugFileAccess) async -> SymbolSupply {
        if let supply = cachedSymbols(for: image, access: access) { return supply }
        for _ in 0..<Self.triesLimit {
            guard let files = await files(of: image) else { return .corrupt }
            guard let file = access.choice(among: files) else { return .missing }
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

    /// Removes the cached files and indexes of an image, because a debug file of it was removed, or
    /// its index is to be built again. Later lookups use the current files.
    public func invalidate(_ image: ImageID) {
        state.withLock { $0.forget([image]) }
    }

    /// Makes later lookups use the current files of the images whose symbols have changed since the
    /// last call, in this process or another one with the same catalogue.
    ///
    /// - Parameter images: Images for which this is done even if the changes cannot be read.
    public func reflectChanges(of images: [ImageID] = []) async throws(StorageError) {
        for image in images { invalidate(image) }
        let last = lastReflected
        let changes = try await storage.catalogue.symbolChanges(after: last)
        guard changes.lastNumber != last else { return }
        if let images = changes.images { try await removeOutdatedIndexes(of: images) }
        state.withLock { $0.reflect(changes, after: last) }
    }

    /// Removes the local copies of indexes that another node has rebuilt with other names.
    private func removeOutdatedIndexes(of images: Set<ImageID>) async throws(StorageError) {
        guard let store = storage.sharedIndexes else { return }
        for file in try await storage.catalogue.debugFiles(of: Array(images)) {
            let path = storage.indexes.path(of: file.key)
            guard (try? FileStatus(of: path)) != nil,
                try await store.hasOther(than: path, of: file.key, format: IndexFiles.format)
            else { continue }
            try storage.indexes.remove(file.key)
            invalidate(file.image)
        }
    }

    /// Reads the images of all builds and the number of the last change of symbols. Call this
    /// before the first lookup.
    public func prepare() async throws(StorageError) {
        let number = try await storage.catalogue.lastSymbolChange()
        state.withLock { $0.lastReflected = number }
        try await readAppImages()
    }

    /// Returns the app's own images as its builds list them, for
    /// ``Symbolication/InAppRules/images``.
    public func appImages(for access: DebugFileAccess = .everything) -> Set<ImageID> {
        state.withLock { $0.appImages.images(for: access) }
    }

    /// Reads the images of all builds from the catalogue.
    public func readAppImages() async throws(StorageError) {
        let images = try await storage.catalogue.appImages()
        state.withLock { $0.appImages = AppImages(byApp: images) }
    }

    func add(appImages images: [ImageID], of app: String) {
        state.withLock { $0.appImages.add(images, of: app) }
    }
}

extension StoredSymbolIndexes: SymbolChanges {
    public var lastReflected: Int64 { state.withLock { $0.lastReflected } }

    public func isArriving(_ image: ImageID) -> Bool { storage.arrivingImages.contains(image) }
}

/// The part of ``StoredSymbolIndexes`` that an access includes.
public struct StoredSymbolProvider: SymbolProvider {
    let symbols: StoredSymbolIndexes
    let access: DebugFileAccess

    public func cachedSymbols(for image: ImageID) -> SymbolSupply? {
        symbols.cachedSymbols(for: image, access: access)
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await symbols.symbols(for: image, access: access)
    }

    public func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        await symbols.symbols(replacingDamagedIndexOf: image, access: access)
    }
}

extension StoredSymbolIndexes {
    /// The size of all open indexes, in bytes.
    public var mappedBytes: Int64 { state.withLock { $0.cache.bytes } }

    /// The number of open indexes.
    public var openCount: Int { state.withLock { $0.cache.openCount } }

    /// Removes and returns an image whose files could not be read.
    func takeUnread() -> ImageID? { state.withLock { $0.listings.takeUnread() } }

    /// Records that diagnostics have missed the files of an image.
    func add(unread image: ImageID) { state.withLock { $0.listings.add(unread: image) } }

    /// The files whose indexes lookups continued without.
    var delayedFiles: [StoredDebugFile] { state.withLock { $0.delayed.files } }

    /// Whether lookups currently continue without the index of a file.
    func isDelayed(_ file: DebugFileKey) -> Bool { state.withLock { $0.delayed.contains(file) } }

    /// Whether no index can be built from a file, so that it has to be uploaded again.
    func isUnusable(_ file: DebugFileKey) -> Bool { state.withLock { $0.cache.isUnusable(file) } }

    /// Whether no index can be built from a file with a blob.
    func isUnusable(blob: String) -> Bool { state.withLock { $0.cache.isUnusable(blob: blob) } }

    /// Returns the images whose only accessible file is one from which no index could be built, so
    /// that it has to be uploaded again.
    func unusable(among images: Set<ImageID>, for access: DebugFileAccess) async -> Set<ImageID> {
        var unusable = state.withLock { $0.cache.unusable(among: images) }
        for image in unusable {
            let file = access.choice(among: await files(of: image) ?? [])
            if !(file.map { isUnusable($0.key) } ?? false) { unusable.remove(image) }
        }
        return unusable
    }

    /// Makes lookups continue without the index of a file, which is tried again after all others.
    func addDelay(of file: StoredDebugFile) { state.withLock { $0.delayed.add(file) } }

    /// Forgets that lookups went on without the index of a file.
    func endDelay(of file: StoredDebugFile) { state.withLock { $0.delayed.remove(file.key) } }

    /// The files of all open indexes, least recently used first.
    var openFilesInOrderOfUse: [DebugFileKey] { state.withLock { $0.cache.filesInOrderOfUse() } }

    /// Closes indexes whose local files were removed.
    func close(_ files: [DebugFileKey]) {
        state.withLock { state in for file in files { state.cache.close(file) } }
    }

    /// Records a use of a file other than a lookup in its index.
    func recordUse(of file: DebugFileKey) { state.withLock { $0.cache.recordUse(of: file) } }

    /// Records in the catalogue which files were used since the last call.
    func recordUses() async throws(StorageError) {
        let used = state.withLock { $0.cache.takeUsed() }
        if !used.isEmpty { try await storage.catalogue.markUsed(used, at: storage.now) }
    }

    /// Releases pages of the least recently used indexes to the system, until the resident mapped
    /// files are within the limit. Pages needed again are usually still in the system's cache.
    func releasePages() {
        guard ResidentMemory.ofFiles > storage.settings.residentBytes else { return }
        let all = state.withLock { $0.cache.bytesInOrderOfUse() }
        for (number, bytes) in all.enumerated() {
            bytes.release(0..<bytes.count)
            // Measuring takes longer than releasing.
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
