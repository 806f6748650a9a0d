import CallStacks
import DebugFiles
import SymbolStores

/// Takes one file of an upload in, slice after slice.
struct SliceIntake: Sendable {
    let intake: BundleIntake
    let file: ListedFile
    /// What its drafts begin with, in a folder that is removed afterwards.
    let drafts: String
    let arrived: ArrivedImages

    private var storage: SymbolStorage { intake.storage }
    private var blobDraft: String { drafts + BlobFolder.ending }

    func answers() async throws -> [IntakeAnswer] {
        let limit = storage.settings.limits.fileBytes
        guard file.byteCount <= limit else {
            let reason = "is larger than \(ByteText.text(limit))"
            return file.slices.map { IntakeAnswer($0, of: file, .rejected, reason) }
        }
        var answers: [IntakeAnswer] = []
        // All slices share the blob, so the first one that can be read makes it.
        var blob: DraftBlob?
        for (number, slice) in file.slices.enumerated() {
            answers.append(try await answer(slice, indexDraft: "\(drafts)-\(number)", &blob))
        }
        return answers
    }

    /// The blob as the first slice made it.
    private struct DraftBlob {
        var digest: String
        var byteCount: Int64
    }

    private func answer(
        _ slice: ListedFile.Slice, indexDraft: String, _ blob: inout DraftBlob?
    ) async throws -> IntakeAnswer {
        guard let image = slice.image else {
            return IntakeAnswer(slice, of: file, .rejected, slice.text(of: .noIdentity))
        }
        if try await isAnsweredFully(image, slice.architecture) {
            return IntakeAnswer(slice, of: file, .duplicate, Self.duplicateReason)
        }
        do {
            let indexed = try await index(slice, image, indexDraft, &blob)
            return try await keep(slice, image, indexed, indexDraft, blob?.byteCount ?? 0)
        } catch ChildFailure.refused(let reason) {
            // What was left half made is in the way of the next slice.
            if blob == nil { try removeFile(blobDraft) }
            return IntakeAnswer(slice, of: file, .rejected, reason)
        }
    }

    private func index(
        _ slice: ListedFile.Slice, _ image: ImageID, _ indexDraft: String, _ blob: inout DraftBlob?
    ) async throws -> IndexedSlice {
        let job = IndexingJob(
            file: file.path, byteCount: file.byteCount,
            source: blob.map { .known(digest: $0.digest) } ?? .upload(blob: blobDraft),
            image: image, architecture: slice.architecture, output: indexDraft,
            threads: storage.settings.limits.threads)
        let indexed = try await storage.children.index(job)
        if blob == nil {
            let size = try FileStatus(of: blobDraft).size
            blob = DraftBlob(digest: indexed.digest, byteCount: size)
        }
        return indexed
    }

    private static let duplicateReason = "one that knows as much is stored"

    /// Whether a file that knows everything is there, so that this one need not be read.
    private func isAnsweredFully(_ image: ImageID, _ architecture: String) async throws -> Bool {
        let stored = try await storage.catalogue.debugFiles(of: image)
        guard let file = stored.first(where: { $0.architecture == architecture }),
            file.quality == .full
        else { return false }
        return try await storage.blobs.holds(file.blob)
    }

    private func keep(
        _ slice: ListedFile.Slice, _ image: ImageID, _ indexed: IndexedSlice,
        _ indexDraft: String, _ storedByteCount: Int64
    ) async throws -> IntakeAnswer {
        let row = StoredDebugFile(
            image: image, architecture: slice.architecture, name: file.name, kind: slice.kind,
            quality: indexed.quality, blob: indexed.digest, byteCount: file.byteCount,
            storedByteCount: storedByteCount, upload: .now(), warnings: indexed.warnings)
        let isKept = try await storage.changes.run { try await put(row, indexDraft) }
        if isKept {
            intake.symbols.invalidate(image)
            arrived.add(image)
        }
        var answer = IntakeAnswer(
            slice, of: file, isKept ? Self.status(of: row) : .duplicate,
            isKept ? row.warnings.first : Self.duplicateReason)
        answer.quality = indexed.quality
        return answer
    }

    private static func status(of row: StoredDebugFile) -> IntakeAnswer.Status {
        row.quality >= .lines ? .indexed : .stored
    }

    /// - Returns: Whether it was kept, and not another one that is as good.
    private func put(_ row: StoredDebugFile, _ indexDraft: String) async throws -> Bool {
        let stored = try await storage.catalogue.debugFiles(of: row.image)
        let rival = stored.first { $0.architecture == row.architecture }
        if let rival, rival.quality >= row.quality {
            // The very file whose blob was lost brings it back.
            if rival.blob == row.blob { try await keepBlob(row.blob) }
            return false
        }
        try await keepBlob(row.blob)
        guard try storage.indexes.adopt(indexDraft, of: row) != nil else {
            throw ChildFailure.garbled
        }
        if case .replaced(let worse) = try await storage.catalogue.add(row),
            try await !storage.catalogue.isWanted(blob: worse.blob)
        {
            try await storage.blobs.remove(worse.blob)
        }
        return true
    }

    /// The blob of a file with several slices is kept by the first of them.
    private func keepBlob(_ name: String) async throws {
        if (try? FileStatus(of: blobDraft)) != nil {
            try await storage.blobs.keep(fileAt: blobDraft, as: name)
        } else if try await !storage.blobs.holds(name) {
            throw BlobError("blob \(name): was removed while it arrived: send it again")
        }
    }
}
