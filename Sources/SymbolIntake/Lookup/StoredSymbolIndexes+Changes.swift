public import CallStacks
import SymbolStores
import Synchronization

extension StoredSymbolIndexes {
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
