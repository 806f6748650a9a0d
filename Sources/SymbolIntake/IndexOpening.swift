import CallStacks
import Logging
import Metrics

/// How one image's index is come by: from its file, else by building it again from the blob.
struct IndexOpening: Sendable {
    let storage: SymbolStorage
    let image: ImageID
    /// Whether an index that is there is used, or replaced.
    let trustsIndex: Bool

    /// How often it is looked up again because its debug file was replaced meanwhile.
    private static let triesLimit = 3

    func outcome() async -> IndexCache.Outcome {
        for _ in 0..<Self.triesLimit {
            if let outcome = await tried() { return outcome }
        }
        return .unknown
    }

    /// `nil` where what is stored changed while an index was built.
    private func tried() async -> IndexCache.Outcome? {
        let files: [StoredDebugFile]
        do {
            files = try await storage.catalogue.debugFiles(of: image)
        } catch {
            storage.logger.error("image \(image): cannot be looked up: \(error)")
            return .unknown
        }
        guard let best = Self.best(of: files) else { return .missing }
        if trustsIndex, let mapped = storage.indexes.index(of: best) {
            return .opened(mapped, isRebuilt: false)
        }
        return await rebuilt(best)
    }

    /// Two architectures with one identity are rare; the one that knows most answers.
    private static func best(of files: [StoredDebugFile]) -> StoredDebugFile? {
        files.sorted { $0.architecture < $1.architecture }
            .max { $0.quality < $1.quality }
    }

    private func rebuilt(_ file: StoredDebugFile) async -> IndexCache.Outcome? {
        do {
            guard let mapped = try await rebuild(file) else { return nil }
            Counter(label: "symbolist_index_rebuilds_total").increment()
            return .opened(mapped, isRebuilt: true)
        } catch ChildFailure.refused(let reason) {
            log(file, reason)
            return .unusable
        } catch {
            log(file, "\(error)")
            return (error as? ChildFailure) == .cancelled ? .unknown : .unusable
        }
    }

    private func log(_ file: StoredDebugFile, _ reason: String) {
        storage.logger.error(
            "\(file.name) \(image): its index cannot be built again: \(reason): upload it again")
    }

    /// `nil` where the file is no longer the one that is stored.
    private func rebuild(_ file: StoredDebugFile) async throws -> IndexFiles.Mapped? {
        let folder = try storage.folders.newIncomingFolder()
        defer { storage.folders.remove(folder) }
        let blob = folder + "/blob"
        guard try await storage.blobs.fetch(file.blob, to: blob) else {
            throw ChildFailure.refused("its blob is not there")
        }
        let job = IndexingJob(
            file: blob, byteCount: file.byteCount, source: .blob(inflated: folder + "/file"),
            image: image,
            architecture: file.architecture, output: folder + "/index",
            threads: storage.settings.limits.threads)
        let indexed = try await storage.children.index(job)
        guard indexed.digest == file.blob else {
            throw ChildFailure.refused("its blob is damaged")
        }
        return try await storage.changes.run {
            let stored = try await storage.catalogue.debugFiles(of: image)
            let isStored = stored.contains {
                $0.architecture == file.architecture && $0.blob == file.blob
            }
            guard isStored else { return nil }
            guard let mapped = try storage.indexes.adopt(job.output, of: file) else {
                throw ChildFailure.garbled
            }
            return mapped
        }
    }
}
