import CallStacks
import Synchronization

extension StoredSymbolIndexes {
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
}
