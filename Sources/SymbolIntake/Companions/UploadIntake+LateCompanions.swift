import CallStacks
import DebugFiles
import Logging
import SymbolStores
import TaskCoordination

extension UploadIntake {
    /// The maximum number of stored debug files that are read again for the split units of an
    /// upload, the newest first. Most are refused once their units' headers are read.
    static let lateFilesLimit = 64

    /// Indexes stored debug files again with companions that arrived after them.
    ///
    /// - Parameter images: The images of the upload, to which those of these debug files are added.
    func useLate(
        _ companions: UploadCompanions, of owner: SymbolOwner, in folder: String,
        images: UpdatedImages
    ) async throws {
        guard !companions.isEmpty else { return }
        for (number, file) in try await filesLacking(companions, of: owner).enumerated() {
            let late = LateCompanions(
                intake: self, file: file, companions: companions, entries: companions.entries,
                supplements: companions.supplements, drafts: "\(folder)/late-\(number)")
            try await use(late, images: images)
        }
    }

    /// Indexes debug files of an upload again with supplementary files that another upload stored
    /// after they were looked for, and before these debug files were stored. That upload found none
    /// of them.
    func useSupplements(
        storedDuring files: [ListedFile], with companions: UploadCompanions,
        of owner: SymbolOwner, in folder: String, images: UpdatedImages
    ) async throws {
        for (number, slice) in files.flatMap(\.slices).enumerated() {
            guard let image = slice.image, let id = slice.supplement,
                !companions.supplements.contains(id),
                let file = try await storage.catalogue.debugFiles(of: image).first(where: {
                    $0.owner == owner && $0.lacks(supplement: id)
                })
            else { continue }
            let drafts = "\(folder)/missed-\(number)"
            guard let stored = try await storedSupplement(id, for: owner, drafts: drafts)
            else { continue }
            let late = LateCompanions(
                intake: self, file: file, companions: companions, entries: [stored],
                supplements: [id], isCertain: true, drafts: drafts)
            try await use(late, images: images)
        }
    }

    private func use(_ late: LateCompanions, images: UpdatedImages) async throws {
        let file = late.file
        do {
            if try await late.use() { images.add(file.image) }
        } catch UploadWorkerFailure.refused(CompanionsJob.unneeded) {
            return
        } catch UploadWorkerFailure.refused(let reason) {
            // The file stays unchanged.
            storage.logger.warning(
                "\(file.name) \(file.image): cannot be indexed with its companions: \(reason)")
        } catch let error as StorageError where error.isDamage {
            storage.logger.warning("\(file.name) \(file.image): \(error)")
        }
    }

    /// Returns the owner's files that some of the companions may belong to.
    private func filesLacking(
        _ companions: UploadCompanions, of owner: SymbolOwner
    ) async throws -> [StoredDebugFile] {
        var query = DebugFileQuery(limit: .max)
        query.app = owner.app
        let hasUnits = companions.hasUnusedUnits
        let files = try await storage.catalogue.debugFiles(query).filter {
            $0.owner == owner && $0.isELF
        }
        let named = files.filter { file in
            companions.supplements.contains { file.lacks(supplement: $0) }
        }
        let others = files.filter { $0.lacksSplitUnits && !named.contains($0) }
        return named + (hasUnits ? others.prefix(Self.lateFilesLimit) : [])
    }
}

extension StoredDebugFile {
    fileprivate var lacksSplitUnits: Bool { hasWarning(.splitDwarfMissing) { _ in true } }

    fileprivate func lacks(supplement: ImageID) -> Bool {
        hasWarning(.dwzAlternateMissing) { $0.contains(supplement.description) }
    }

    private func hasWarning(
        _ code: DebugFileWarning.Code, where isMatch: (String) -> Bool
    ) -> Bool {
        warnings.compactMap { DebugFileWarning(line: $0) }.contains {
            $0.code == code && isMatch($0.text)
        }
    }
}

/// The indexing of one stored debug file with companions that arrived after it.
private struct LateCompanions {
    let intake: UploadIntake
    let file: StoredDebugFile
    /// The companions of the upload, which record their users.
    let companions: UploadCompanions
    /// The companions that arrived.
    let entries: [CompanionList.Entry]
    /// The supplementary files among them.
    let supplements: Set<ImageID>
    /// Whether it is known that the debug file refers to one of them.
    var isCertain = false
    /// The prefix of its draft files.
    let drafts: String

    private var storage: SymbolStorage { intake.storage }

    /// Replaces the index if the companions improve it.
    ///
    /// - Returns: Whether they do.
    func use() async throws -> Bool {
        let blob = drafts + ".blob"
        guard try await storage.fetchBlob(of: file, to: blob) else { return false }
        let list = try await list()
        let work = try CompanionsJob(of: list, drafts: drafts, areRequired: !isCertain)
        let job = IndexingJob(
            file: blob, byteCount: file.byteCount, source: .blob(inflated: drafts + ".file"),
            image: file.image, architecture: file.architecture, output: drafts + ".index",
            threads: storage.settings.limits.threads, companions: work)
        defer {
            for path in [blob, drafts + ".file", drafts + ".index", work.folder] {
                storage.folders.remove(path)
            }
        }
        let indexed = try await storage.workers.index(job, companionBytes: list.byteCount)
        guard indexed.digest == file.blob, let used = indexed.companions else { return false }
        var row = file
        row.quality = indexed.quality
        row.completeness = indexed.completeness
        row.warnings = indexed.warnings
        row.companions = try StoredCompanions(
            used, bundle: work.output, supplement: supplement, warnings: row.warnings)
        guard row.isBetter(than: file) else { return false }
        guard try await store(row, bundle: work.output, index: job.output) else { return false }
        companions.add(user: file.name, of: used, in: list)
        return true
    }

    /// The supplementary file of the upload that the debug file refers to, or the one that it is
    /// indexed with already.
    private var supplement: ImageID? {
        let warnings = file.warnings.filter {
            DebugFileWarning(line: $0)?.code == .dwzAlternateMissing
        }
        let late = supplements.first { id in
            warnings.contains { $0.contains(id.description) }
        }
        return late ?? file.companions?.supplement
    }

    /// Returns the companions that arrived, and those that the file is indexed with already.
    private func list() async throws -> CompanionList {
        let stored = try await storage.bundle(of: file, drafts: drafts)
        return CompanionList(entries + [stored].compactMap(\.self))
    }

    /// - Returns: Whether the debug file was still stored.
    private func store(
        _ row: StoredDebugFile, bundle: String, index: String
    ) async throws -> Bool {
        guard let name = row.companions?.blob else { return false }
        if let store = storage.sharedIndexes {
            // Other nodes may have copies of the old index, so the new one is shared before they
            // notice the change.
            try await storage.blobs.keep(fileAt: bundle, as: name)
            try await store.keep(fileAt: index, of: row.key, format: IndexFiles.format)
        }
        return try await storage.changes.run {
            let stored = try await storage.catalogue.debugFiles(of: row.image).first {
                $0.key == file.key && $0.owner == file.owner
            }
            guard let stored else { return false }
            if (try? FileStatus(of: bundle)) != nil {
                try await storage.blobs.keep(fileAt: bundle, as: name)
            }
            guard try storage.indexes.adopt(index, of: row) != nil else {
                throw UploadWorkerFailure.garbled
            }
            var row = row
            row.lastUse = stored.lastUse
            row.executable = stored.executable
            let change = try await storage.catalogue.add(row, replaces: false)
            // Another node may have stored a better file meanwhile.
            guard change.number != nil else { return false }
            try await intake.symbols.reflectChanges(of: [row.image])
            if case .replaced(let old, _) = change { try await storage.removeRemains(of: [old]) }
            return true
        }
    }
}
