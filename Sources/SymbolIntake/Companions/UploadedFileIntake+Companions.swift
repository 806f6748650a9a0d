import CallStacks
import DebugFiles
import SymbolStores
import TaskCoordination

extension UploadedFileIntake {
    /// Returns the files that a debug file may be indexed with: the companions of the upload, the
    /// supplementary file that arrived before, and the companions of the stored file that it may
    /// replace, which may be a lost or damaged copy of it.
    ///
    /// - Parameter drafts: The prefix of copies.
    func companionList(
        for slice: ListedFile.Slice, drafts: String
    ) async throws -> CompanionList {
        guard DebugFileKind(rawValue: slice.kind)?.isELF == true else { return CompanionList([]) }
        var list = CompanionList(companions.entries)
        if let id = slice.supplement, !companions.supplements.contains(id),
            let stored = try await intake.storedSupplement(id, for: options.owner, drafts: drafts)
        {
            list.entries.append(stored)
        }
        if let image = slice.image,
            let stored = try await rival(image, architecture: slice.architecture),
            let bundle = try await storage.bundle(of: stored, drafts: drafts)
        {
            list.entries.append(bundle)
        }
        return list
    }

    /// Stores a supplementary file, which is not indexed.
    func supplementResult(
        _ slice: ListedFile.Slice, image: ImageID, indexDraft: String
    ) async throws -> IntakeResult {
        let indexed = try await storage.workers.index(
            IndexingJob(
                file: file.path, byteCount: file.byteCount, source: .upload(blob: blobDraft),
                image: image, architecture: slice.architecture, output: indexDraft, threads: 1))
        let row = StoredDebugFile(
            owner: options.owner, image: image, architecture: slice.architecture,
            name: UploadIntake.shownName(file.name),
            kind: slice.kind, quality: .nothing, blob: indexed.digest, byteCount: file.byteCount,
            storedByteCount: try FileStatus(of: blobDraft).size, upload: storage.now)
        // Storing a blob takes long, so it is not serialised with other changes in a cluster.
        if storage.sharedIndexes != nil { try await keepBlob(row.blob) }
        let isNew = try await storage.changes.run {
            let rival = try await rival(image, architecture: slice.architecture)
            if rival == nil || rival?.blob == row.blob || options.replaces {
                try await keepBlob(row.blob)
            }
            let change = try await storage.catalogue.add(row, replaces: options.replaces)
            try await intake.symbols.reflectChanges(of: [image])
            if case .replaced(let old, _) = change { try await storage.removeRemains(of: [old]) }
            return change.number != nil
        }
        var result = IntakeResult(
            slice, of: file, status: isNew ? .stored : .duplicate,
            reason: isNew ? "names for the debug files that refer to it" : "is stored already")
        result.quality = row.quality
        return result
    }
}

extension UploadedFileIntake {
    /// Stores the companions that a debug file was indexed with.
    func keepCompanions(of row: StoredDebugFile, indexDraft: String) async throws {
        guard let companions = row.companions else { return }
        let bundle = CompanionsJob.bundle(of: indexDraft)
        // In a cluster, it was stored before.
        guard (try? FileStatus(of: bundle)) != nil else { return }
        try await storage.blobs.keep(fileAt: bundle, as: companions.blob)
    }

    /// Stores companions that were lost. The index may have been built without them.
    ///
    /// - Parameters:
    ///   - stored: The stored debug file.
    ///   - row: The same file, as uploaded again.
    func restoreCompanions(
        of stored: StoredDebugFile, by row: StoredDebugFile, indexDraft: String
    ) async throws {
        guard let companions = row.companions, companions.blob == stored.companions?.blob,
            try await !storage.blobs.contains(companions.blob)
        else { return }
        try await keepCompanions(of: row, indexDraft: indexDraft)
        try storage.indexes.remove(row.key)
        try await storage.sharedIndexes?.remove(row.key)
        intake.symbols.invalidate(row.image)
    }
}

extension SymbolStorage {
    /// Fetches the companions that a stored file is indexed with, or returns `nil` if it has none or
    /// they are lost.
    func bundle(
        of file: StoredDebugFile, drafts: String
    ) async throws -> CompanionList.Entry? {
        let path = drafts + ".companions"
        guard let stored = file.companions, try await fetch(stored, to: path) else { return nil }
        return CompanionList.Entry(content: .bundle(path: path), byteCount: stored.byteCount)
    }
}

extension UploadIntake {
    /// Fetches a supplementary file that is stored for an owner or for everyone, or returns `nil` if
    /// there is none.
    func storedSupplement(
        _ id: ImageID, for owner: SymbolOwner, drafts: String
    ) async throws -> CompanionList.Entry? {
        let files = try await storage.catalogue.debugFiles(of: id).filter {
            $0.isSupplement && [owner, .everyone].contains($0.owner)
        }
        let path = drafts + ".supplement"
        guard let file = files.first(where: { $0.owner == owner }) ?? files.first,
            try await storage.fetchBlob(of: file, to: path)
        else { return nil }
        return CompanionList.Entry(
            content: .blob(
                CompanionFiles.File(path: path, name: file.name, kind: .supplement(id))),
            byteCount: file.byteCount)
    }
}

extension StoredCompanions {
    /// Creates the companions of a debug file that was indexed with them.
    ///
    /// - Parameters:
    ///   - bundle: The path of their bundle.
    ///   - supplement: The supplementary file that the debug file refers to, or `nil` if there is none.
    init(
        _ indexed: IndexedCompanions, bundle: String, supplement: ImageID?, warnings: [String]
    ) throws {
        let codes = warnings.compactMap { DebugFileWarning(line: $0)?.code }
        self.init(
            blob: indexed.digest, byteCount: indexed.byteCount,
            storedByteCount: try FileStatus(of: bundle).size,
            supplement: codes.contains(.dwzAlternateMissing) ? nil : supplement)
    }
}
