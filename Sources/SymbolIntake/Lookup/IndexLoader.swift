import CallStacks
import Logging
import Metrics
import Problems
import SymbolStores
import TaskCoordination

/// Opens the index of a debug file, or rebuilds it from the blob.
struct IndexLoader: Sendable {
    let storage: SymbolStorage
    let file: StoredDebugFile
    /// Whether to use an existing index rather than replace it.
    let trustsIndex: Bool

    func outcome() async -> IndexCache.Outcome {
        if trustsIndex, let mapped = storage.indexes.index(of: file) {
            Counter(label: "symbolist_index_cache_hits_total").increment()
            return .opened(mapped, isRebuilt: false)
        }
        // It has no index, and nothing refers to it but the debug files that need it.
        if file.isSupplement { return .removed }
        do {
            guard let store = storage.sharedIndexes else { return try await rebuilt() }
            return try await SharedIndexLoader(loader: self, store: store).outcome()
        } catch UploadWorkerFailure.refused(let reason) {
            log(reason)
            return .unusable
        } catch let error as StorageError where error.isDamage {
            log(error.description)
            // A bucket may return the right bytes later.
            return .unavailable
        } catch {
            if (error as? UploadWorkerFailure) == .cancelled { return .unknown }
            guard storage.sharedIndexes != nil else {
                log(IntakeError(error).description)
                return .unusable
            }
            storage.logger.warning(
                "\(file.name) \(file.image): index is not available: \(IntakeError(error))")
            return .unavailable
        }
    }

    /// Rebuilds the index from the blob.
    func rebuilt() async throws -> IndexCache.Outcome {
        guard let mapped = try await rebuild() else { return .removed }
        Counter(label: "symbolist_index_rebuilds_total").increment()
        return .opened(mapped, isRebuilt: true)
    }

    private func log(_ reason: String) {
        storage.logger.error(
            """
            \(file.name) \(file.image): index cannot be rebuilt: \(reason): upload the file again
            """)
    }

    /// Rebuilds the index; returns `nil` if the file is no longer stored.
    private func rebuild() async throws -> IndexFiles.Mapped? {
        let folder = try storage.folders.newIncomingFolder()
        defer { storage.folders.remove(folder) }
        let blob = folder + "/blob"
        guard try await storage.fetchBlob(of: file, to: blob) else {
            return try await storage.changes.run {
                if try await isStored { throw UploadWorkerFailure.refused("its blob is missing") }
                return nil
            }
        }
        try await storage.symbolMaps.update(for: file.image, of: file.owner)
        var job = IndexingJob(
            file: blob, byteCount: file.byteCount, source: .blob(inflated: folder + "/file"),
            image: file.image,
            architecture: file.architecture, output: folder + "/index",
            threads: storage.settings.limits.threads,
            symbolMaps: storage.symbolMaps.maps(of: file.owner).path)
        job.companions = try await companions(in: folder)
        let indexed = try await index(&job, in: folder)
        guard indexed.digest == file.blob else {
            throw UploadWorkerFailure.refused("its blob is corrupt")
        }
        return try await storage.changes.run {
            guard try await isStored else { return nil }
            guard let mapped = try storage.indexes.adopt(job.output, of: file) else {
                throw UploadWorkerFailure.garbled
            }
            return mapped
        }
    }

    /// Builds the index, without the companions if these are damaged.
    private func index(
        _ job: inout IndexingJob, in folder: String
    ) async throws -> IndexedSlice {
        do {
            return try await storage.workers.index(
                job, companionBytes: file.companions?.byteCount ?? 0)
        } catch {
            guard case .refused(let reason) = error,
                job.companions != nil
            else { throw error }
            storage.logger.error(
                "\(file.name) \(file.image): cannot be indexed with its companions: \(reason)")
        }
        job.companions = nil
        job.source = .blob(inflated: folder + "/file-alone")
        job.output = folder + "/index-alone"
        return try await storage.workers.index(job, companionBytes: 0)
    }

    /// Fetches the companions of the file. Without them the index lacks names or inlined calls, but
    /// is better than none.
    private func companions(in folder: String) async throws -> CompanionsJob? {
        guard let companions = file.companions else { return nil }
        let path = folder + "/companions"
        guard try await storage.fetch(companions, to: path) else {
            storage.logger.error(
                """
                \(file.name) \(file.image): its companions are missing: upload them again together \
                with the debug file
                """)
            return nil
        }
        return try CompanionsJob(
            of: CompanionList([
                CompanionList.Entry(
                    content: .bundle(path: path), byteCount: companions.byteCount)
            ]), drafts: folder + "/joined")
    }

    /// Whether the catalogue has the file.
    var isStored: Bool {
        get async throws {
            try await storage.catalogue.debugFiles(of: file.image).contains { $0.key == file.key }
        }
    }
}
