import Logging
import Metrics
import SymbolStores
import TaskCoordination

/// Fetches the index of a debug file that another node has built, or builds it for all nodes.
struct SharedIndexLoader: Sendable {
    let loader: IndexLoader
    let store: any IndexStore

    /// The time after which a node builds the index itself if another one has not finished it.
    private static let waitLimit = Duration.seconds(600)
    private static let waitPause = Duration.milliseconds(500)

    private var storage: SymbolStorage { loader.storage }
    private var file: StoredDebugFile { loader.file }

    func outcome() async throws -> IndexCache.Outcome {
        let deadline = ContinuousClock.now + Self.waitLimit
        while ContinuousClock.now < deadline {
            if let outcome = try await fetched() { return outcome }
            let outcome = try await store.building(file.key, format: IndexFiles.format) {
                // Another node may have finished it meanwhile.
                if let outcome = try await fetched() { return outcome }
                return try await built()
            }
            if let outcome { return outcome }
            try await Task.sleep(for: Self.waitPause)
        }
        return try await built()
    }

    /// Returns `nil` if no index is stored, or if the stored one has to be replaced.
    private func fetched() async throws -> IndexCache.Outcome? {
        guard loader.trustsIndex else { return nil }
        let folder = try storage.folders.newIncomingFolder()
        defer { storage.folders.remove(folder) }
        let draft = folder + "/index"
        guard try await store.fetch(file.key, format: IndexFiles.format, to: draft) else {
            return nil
        }
        Counter(label: "symbolist_index_fetches_total").increment()
        return try await storage.changes.run {
            guard try await loader.isStored else { return .removed }
            return try storage.indexes.adopt(draft, of: file).map {
                .opened($0, isRebuilt: false)
            }
        }
    }

    private func built() async throws -> IndexCache.Outcome {
        let outcome = try await loader.rebuilt()
        guard case .opened = outcome else { return outcome }
        do {
            try await store.keep(
                fileAt: storage.indexes.path(of: file.key), of: file.key, format: IndexFiles.format)
        } catch {
            // The index can be used here nevertheless. Other nodes build it themselves.
            storage.logger.warning(
                "\(file.name) \(file.image): index could not be shared with other nodes: \(error)")
        }
        return outcome
    }
}
