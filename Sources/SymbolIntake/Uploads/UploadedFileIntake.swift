import CallStacks
import DebugFiles
import Problems
import SymbolStores
import TaskCoordination

/// Processes one file of an upload, slice by slice.
struct UploadedFileIntake: Sendable {
    let intake: UploadIntake
    let file: ListedFile
    let options: UploadOptions
    /// The prefix of its draft files, in a folder that is removed afterwards.
    let drafts: String
    let arrived: UpdatedImages
    let companions: UploadCompanions

    var storage: SymbolStorage { intake.storage }
    var blobDraft: String { drafts + BlobFolder.ending }

    func results() async throws -> [IntakeResult] {
        let limit = storage.settings.limits.fileBytes
        guard file.byteCount <= limit else {
            let reason = "is larger than \(ByteSizeFormat.text(limit))"
            return file.slices.map { IntakeResult($0, of: file, status: .rejected, reason: reason) }
        }
        var results: [IntakeResult] = []
        var draft = Draft()
        for (number, slice) in file.slices.enumerated() {
            let result = try await result(slice, indexDraft: "\(drafts)-\(number)", draft: &draft)
            try await recordSystem(of: slice, result: result)
            results.append(result)
        }
        return results
    }

    /// Records the system of a stored system image, before the image is removed from those that
    /// diagnostics wait for.
    private func recordSystem(of slice: ListedFile.Slice, result: IntakeResult) async throws {
        guard let image = slice.image, kind(of: slice) == StoredDebugFile.systemKind,
            result.status != .rejected
        else { return }
        try await storage.catalogue.add([image], ofSystem: options.system)
    }

    /// The known digest of the file, and the blob that all its slices share.
    struct Draft {
        var digest: String?
        /// The size of the blob, which the first readable slice writes.
        var storedByteCount: Int64?
        /// The blobs of stored files that were lost before this file restored one of them.
        var lostBlobs: Set<String> = []
    }

    private func result(
        _ slice: ListedFile.Slice, indexDraft: String, draft: inout Draft
    ) async throws -> IntakeResult {
        guard let image = slice.image else {
            return IntakeResult(
                slice, of: file, status: .rejected, reason: slice.text(of: .noIdentity))
        }
        guard kind(of: slice) != StoredDebugFile.systemKind || options.owner == .everyone else {
            return IntakeResult(
                slice, of: file, status: .rejected, reason: Self.systemImageReason)
        }
        do {
            if case .supplement? = slice.companion {
                return try await supplementResult(slice, image: image, indexDraft: indexDraft)
            }
            if let stored = try await stored(
                image, architecture: slice.architecture, draft: &draft)
            {
                var result = IntakeResult(
                    slice, of: file, status: .duplicate, reason: Self.duplicateReason)
                result.kind = stored.kind
                result.quality = stored.quality
                return result
            }
            let indexed = try await index(
                slice, image: image, indexDraft: indexDraft, draft: &draft)
            return try await keep(
                slice, image: image, indexed: indexed, indexDraft: indexDraft,
                storedByteCount: draft.storedByteCount ?? 0, draft: &draft)
        } catch UploadWorkerFailure.refused(let reason) {
            if let result = try await executableResult(slice, image: image) { return result }
            // An unfinished blob would block the next slice.
            if draft.storedByteCount == nil { try removeFile(blobDraft) }
            return IntakeResult(slice, of: file, status: .rejected, reason: reason)
        }
    }

    private func index(
        _ slice: ListedFile.Slice, image: ImageID, indexDraft: String, draft: inout Draft
    ) async throws -> IndexedSlice {
        var source = IndexingJob.Source.upload(blob: blobDraft)
        if let digest = draft.digest, draft.storedByteCount != nil {
            source = .known(digest: digest)
        }
        try await storage.symbolMaps.update(for: image, of: options.owner)
        var job = IndexingJob(
            file: file.path, byteCount: file.byteCount, source: source, image: image,
            architecture: slice.architecture, output: indexDraft,
            threads: storage.settings.limits.threads,
            symbolMaps: storage.symbolMaps.maps(of: options.owner).path)
        let list = try await companionList(for: slice, drafts: indexDraft)
        if !list.entries.isEmpty {
            job.companions = try CompanionsJob(of: list, drafts: indexDraft)
        }
        let indexed = try await storage.workers.index(job, companionBytes: list.byteCount)
        companions.add(user: file.name, of: indexed.companions, in: list)
        draft.digest = indexed.digest
        if draft.storedByteCount == nil {
            draft.storedByteCount = try FileStatus(of: blobDraft).size
        }
        return indexed
    }

    private static let systemImageReason =
        "an image of Apple's systems serves all apps: upload it for none, with a token for all apps"

    private static let duplicateReason = "a file with the same or more information is stored"

    /// Returns the owner's stored file if it is the same, or has full debug information while this
    /// one has none, so that this one need not be read.
    private func stored(
        _ image: ImageID, architecture: String, draft: inout Draft
    ) async throws -> StoredDebugFile? {
        guard !replaces(image), let rival = try await rival(image, architecture: architecture),
            rival.quality == .full, !isUnusable(rival), !draft.lostBlobs.contains(rival.blob),
            try await storage.blobs.contains(rival.blob)
        else { return nil }
        if let companions = rival.companions,
            try await !storage.blobs.contains(companions.blob)
        {
            return nil
        }
        guard file.hasDebugInformation else {
            return file.isExecutable && rival.lacksExecutable ? nil : rival
        }
        guard rival.byteCount == file.byteCount, rival.completeness != nil else { return nil }
        if draft.digest == nil { draft.digest = try await storage.workers.digest(of: file) }
        return draft.digest == rival.blob ? rival : nil
    }

    private func keep(
        _ slice: ListedFile.Slice, image: ImageID, indexed: IndexedSlice,
        indexDraft: String, storedByteCount: Int64, draft: inout Draft
    ) async throws -> IntakeResult {
        var row = StoredDebugFile(
            owner: options.owner, image: image, architecture: slice.architecture,
            name: name(of: slice), kind: kind(of: slice), quality: indexed.quality,
            completeness: indexed.completeness,
            blob: indexed.digest, byteCount: file.byteCount, storedByteCount: storedByteCount,
            upload: storage.now, warnings: indexed.warnings)
        row.companions = try indexed.companions.map {
            try StoredCompanions(
                $0, bundle: CompanionsJob.bundle(of: indexDraft), supplement: slice.supplement,
                warnings: row.warnings)
        }
        // Determined before the blob is stored, after which it no longer counts as lost.
        let lost = try await lostFile(replacedBy: row, &draft)
        if let store = storage.sharedIndexes {
            try await share(row, indexDraft: indexDraft, store: store, lost: lost)
        }
        let isKept = try await storage.changes.run {
            try await put(row, indexDraft: indexDraft, lost: lost)
        }
        if !isKept, let result = try await executableResult(slice, of: row) { return result }
        var result = IntakeResult(
            slice, of: file, status: isKept ? row.status : .duplicate,
            reason: isKept ? row.warnings.first : Self.duplicateReason)
        result.kind = row.kind
        result.quality = indexed.quality
        return result
    }

    /// Returns the kind to show in lists. A system image without a build has a kind of its own.
    func kind(of slice: ListedFile.Slice) -> String {
        slice.isOfSystem && options.build == nil ? StoredDebugFile.systemKind : slice.kind
    }

    /// Returns the name to show in lists, without its path in an archive. A system image has its
    /// own, because the file of an extracted one is named by its identity.
    func name(of slice: ListedFile.Slice) -> String {
        guard let name = slice.systemName, options.build == nil
        else { return UploadIntake.shownName(file.name) }
        return UploadIntake.shownName(name)
    }

    /// Stores the blob and the index in the shared stores, before they are needed.
    ///
    /// This takes long, so it is not serialised with other changes: the stores protect files
    /// without a row for some time.
    private func share(
        _ row: StoredDebugFile, indexDraft: String, store: any IndexStore,
        lost: StoredDebugFile?
    ) async throws {
        guard try await betterRival(of: row, except: lost) == nil else { return }
        try await keepBlob(row.blob)
        try await keepCompanions(of: row, indexDraft: indexDraft)
        guard IndexFiles.index(at: indexDraft, of: row) != nil else {
            throw UploadWorkerFailure.garbled
        }
        try await store.keep(fileAt: indexDraft, of: row.key, format: IndexFiles.format)
    }

    /// - Returns: Whether the file was stored. If not, the stored one is at least as good.
    private func put(
        _ row: StoredDebugFile, indexDraft: String, lost: StoredDebugFile?
    ) async throws -> Bool {
        if let rival = try await betterRival(of: row, except: lost) {
            guard rival.blob == row.blob else { return false }
            // Uploading the same file again restores its lost blobs.
            try await keepBlob(row.blob)
            try await restoreCompanions(of: rival, by: row, indexDraft: indexDraft)
            arrived.settle(row.image)
            return false
        }
        let rival = try await rival(row.image, architecture: row.architecture)
        let isRepair = rival.map { isLost($0, lost) } ?? false
        try await keepBlob(row.blob)
        try await keepCompanions(of: row, indexDraft: indexDraft)
        guard try storage.indexes.adopt(indexDraft, of: row) != nil else {
            throw UploadWorkerFailure.garbled
        }
        let change = try await storage.catalogue.add(
            row, replaces: isRepair || replaces(row.image))
        if change.number != nil {
            try await intake.symbols.reflectChanges(of: [row.image])
            arrived.add(row.image)
        }
        if case .replaced(let old, _) = change { try await storage.removeRemains(of: [old]) }
        arrived.settle(row.image)
        // Another node may have stored the same file meanwhile.
        return change.number != nil
    }

    /// Stores the blob, unless an earlier slice of the same file has.
    func keepBlob(_ name: String) async throws {
        if (try? FileStatus(of: blobDraft)) != nil {
            // A bucket records damaged objects, and replaces them.
            if storage.sharedIndexes == nil, intake.symbols.isUnusable(blob: name) {
                try await storage.blobs.remove(name)
            }
            try await storage.blobs.keep(fileAt: blobDraft, as: name)
        } else if try await !storage.blobs.contains(name) {
            throw StorageError(
                Problem(
                    "blob \(name)", detail: "removed during the upload",
                    suggestion: "send it again"))
        }
    }
}
