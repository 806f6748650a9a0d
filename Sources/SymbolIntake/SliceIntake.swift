import CallStacks
import DebugFiles
import SymbolStores

/// Takes one file of an upload in, slice after slice.
struct SliceIntake: Sendable {
    let intake: BundleIntake
    let file: ListedFile
    let terms: UploadTerms
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
        var draft = Draft()
        for (number, slice) in file.slices.enumerated() {
            answers.append(try await answer(slice, indexDraft: "\(drafts)-\(number)", &draft))
        }
        return answers
    }

    /// What is known of the file, and the blob that all its slices share.
    private struct Draft {
        var digest: String?
        /// Of the blob, which the first slice that can be read makes.
        var storedByteCount: Int64?
    }

    private func answer(
        _ slice: ListedFile.Slice, indexDraft: String, _ draft: inout Draft
    ) async throws -> IntakeAnswer {
        guard let image = slice.image else {
            return IntakeAnswer(slice, of: file, .rejected, slice.text(of: .noIdentity))
        }
        do {
            if try await isDuplicate(image, slice.architecture, &draft) {
                return IntakeAnswer(slice, of: file, .duplicate, Self.duplicateReason)
            }
            let indexed = try await index(slice, image, indexDraft, &draft)
            return try await keep(slice, image, indexed, indexDraft, draft.storedByteCount ?? 0)
        } catch ChildFailure.refused(let reason) {
            // What was left half made is in the way of the next slice.
            if draft.storedByteCount == nil { try removeFile(blobDraft) }
            return IntakeAnswer(slice, of: file, .rejected, reason)
        }
    }

    private func index(
        _ slice: ListedFile.Slice, _ image: ImageID, _ indexDraft: String, _ draft: inout Draft
    ) async throws -> IndexedSlice {
        var source = IndexingJob.Source.upload(blob: blobDraft)
        if let digest = draft.digest, draft.storedByteCount != nil {
            source = .known(digest: digest)
        }
        let job = IndexingJob(
            file: file.path, byteCount: file.byteCount, source: source, image: image,
            architecture: slice.architecture, output: indexDraft,
            threads: storage.settings.limits.threads)
        let indexed = try await storage.children.index(job)
        draft.digest = indexed.digest
        if draft.storedByteCount == nil {
            draft.storedByteCount = try FileStatus(of: blobDraft).size
        }
        return indexed
    }

    private static let duplicateReason = "one that knows as much is stored"

    /// Whether the owner has the very file, or one with full debug information while this one has
    /// none, so that it need not be read.
    private func isDuplicate(
        _ image: ImageID, _ architecture: String, _ draft: inout Draft
    ) async throws -> Bool {
        guard !replaces(image), let rival = try await rival(image, architecture),
            rival.quality == .full, try await storage.blobs.holds(rival.blob)
        else { return false }
        guard file.hasDebugInformation else { return true }
        guard rival.byteCount == file.byteCount, rival.completeness != nil else { return false }
        if draft.digest == nil { draft.digest = try await storage.children.digest(of: file) }
        return draft.digest == rival.blob
    }

    private func keep(
        _ slice: ListedFile.Slice, _ image: ImageID, _ indexed: IndexedSlice,
        _ indexDraft: String, _ storedByteCount: Int64
    ) async throws -> IntakeAnswer {
        let row = StoredDebugFile(
            owner: terms.owner, image: image, architecture: slice.architecture, name: file.name,
            kind: slice.kind, quality: indexed.quality, completeness: indexed.completeness,
            blob: indexed.digest, byteCount: file.byteCount, storedByteCount: storedByteCount,
            upload: .now(), warnings: indexed.warnings)
        let isKept = try await storage.changes.run { try await put(row, indexDraft) }
        if isKept {
            intake.symbols.invalidate(image)
            arrived.add(ArrivedImage(image, of: row.owner))
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

    /// The file that the new one would take the place of: those of other owners stay in any case.
    private func rival(
        _ image: ImageID, _ architecture: String
    ) async throws -> StoredDebugFile? {
        try await storage.catalogue.debugFiles(of: image).first {
            $0.owner == terms.owner && $0.architecture == architecture
        }
    }

    /// Whether the new file takes the place of the owner's even if it is no better. It does not take
    /// that of another file of the same upload: bundles hold stripped copies of their images.
    private func replaces(_ image: ImageID) -> Bool {
        terms.replaces && !arrived.isSettled(image)
    }

    /// - Returns: Whether it was kept, and not another one that is as good.
    private func put(_ row: StoredDebugFile, _ indexDraft: String) async throws -> Bool {
        let replaces = replaces(row.image)
        if let rival = try await rival(row.image, row.architecture),
            rival.blob == row.blob || !replaces, !row.isBetter(than: rival)
        {
            guard rival.blob == row.blob else { return false }
            // The very file whose blob was lost brings it back.
            try await keepBlob(row.blob)
            arrived.settle(row.image)
            return false
        }
        try await keepBlob(row.blob)
        guard try storage.indexes.adopt(indexDraft, of: row) != nil else {
            throw ChildFailure.garbled
        }
        if case .replaced(let old) = try await storage.catalogue.add(row, replaces: replaces) {
            try await storage.removeRemains(of: [old])
        }
        arrived.settle(row.image)
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
