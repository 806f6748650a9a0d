import CallStacks
import Logging
import Metrics

/// How the index of a debug file is come by: from its file, else by building it again from the blob.
struct IndexOpening: Sendable {
    let storage: SymbolStorage
    let file: StoredDebugFile
    /// Whether an index that is there is used, or replaced.
    let trustsIndex: Bool

    func outcome() async -> IndexCache.Outcome {
        if trustsIndex, let mapped = storage.indexes.index(of: file) {
            return .opened(mapped, isRebuilt: false)
        }
        do {
            guard let mapped = try await rebuild() else { return .gone }
            Counter(label: "symbolist_index_rebuilds_total").increment()
            return .opened(mapped, isRebuilt: true)
        } catch ChildFailure.refused(let reason) {
            log(reason)
            return .unusable
        } catch {
            log("\(error)")
            return (error as? ChildFailure) == .cancelled ? .unknown : .unusable
        }
    }

    private func log(_ reason: String) {
        storage.logger.error(
            """
            \(file.name) \(file.image): its index cannot be built again: \(reason): upload it again
            """)
    }

    /// `nil` where the file is no longer stored.
    private func rebuild() async throws -> IndexFiles.Mapped? {
        let folder = try storage.folders.newIncomingFolder()
        defer { storage.folders.remove(folder) }
        let blob = folder + "/blob"
        guard try await storage.blobs.fetch(file.blob, to: blob) else {
            return try await storage.changes.run {
                if try await isStored { throw ChildFailure.refused("its blob is not there") }
                return nil
            }
        }
        let job = IndexingJob(
            file: blob, byteCount: file.byteCount, source: .blob(inflated: folder + "/file"),
            image: file.image,
            architecture: file.architecture, output: folder + "/index",
            threads: storage.settings.limits.threads)
        let indexed = try await storage.children.index(job)
        guard indexed.digest == file.blob else {
            throw ChildFailure.refused("its blob is damaged")
        }
        return try await storage.changes.run {
            guard try await isStored else { return nil }
            guard let mapped = try storage.indexes.adopt(job.output, of: file) else {
                throw ChildFailure.garbled
            }
            return mapped
        }
    }

    private var isStored: Bool {
        get async throws {
            try await storage.catalogue.debugFiles(of: file.image).contains { $0.key == file.key }
        }
    }
}
