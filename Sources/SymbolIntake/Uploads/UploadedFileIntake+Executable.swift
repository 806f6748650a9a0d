import CallStacks
import DebugFiles
import SymbolStores
import TaskCoordination

extension UploadedFileIntake {
    /// Keeps a file without symbols beside its debug file, if that is stored and lacks the code.
    func executableResult(
        _ slice: ListedFile.Slice, image: ImageID
    ) async throws -> IntakeResult? {
        guard file.isExecutable, let storedByteCount = try? FileStatus(of: blobDraft).size,
            try await rival(image, architecture: slice.architecture)?.lacksExecutable == true
        else { return nil }
        let row = StoredDebugFile(
            owner: options.owner, image: image, architecture: slice.architecture,
            name: name(of: slice), kind: slice.kind, quality: .nothing,
            blob: try await storage.workers.digest(of: file), byteCount: file.byteCount,
            storedByteCount: storedByteCount, upload: storage.now)
        return try await executableResult(slice, of: row)
    }

    /// - Returns: `nil` if the file is not kept.
    func executableResult(
        _ slice: ListedFile.Slice, of row: StoredDebugFile
    ) async throws -> IntakeResult? {
        guard let executable = StoredExecutable(row) else { return nil }
        if storage.sharedIndexes != nil,
            try await rival(row.image, architecture: row.architecture)?.lacksExecutable == true
        {
            // Storing a blob takes long, so it is not serialised with other changes.
            try await keepBlob(row.blob)
        }
        let isKept = try await storage.changes.run { () async throws -> Bool in
            guard let rival = try await rival(row.image, architecture: row.architecture),
                rival.lacksExecutable
            else { return false }
            try await keepBlob(row.blob)
            guard try await storage.catalogue.keep(executable, beside: rival) else { return false }
            // Other nodes cache the stored files until a change is recorded.
            try await storage.catalogue.recordChange(of: rival)
            try await intake.symbols.reflectChanges(of: [row.image])
            return true
        }
        guard isKept else { return nil }
        var result = IntakeResult(
            slice, of: file, status: .stored, reason: "kept beside its debug file, for debuginfod")
        result.kind = row.kind
        result.quality = row.quality
        return result
    }
}
