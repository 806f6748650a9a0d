import CallStacks
import DebugFiles

extension UploadedFileIntake {
    /// Returns the owner's stored file that the new one would replace.
    func rival(
        _ image: ImageID, architecture: String
    ) async throws -> StoredDebugFile? {
        try await storage.catalogue.debugFiles(of: image).first {
            $0.owner == options.owner && $0.architecture == architecture
        }
    }

    /// Whether no index can be built from a stored file.
    func isUnusable(_ file: StoredDebugFile) -> Bool {
        intake.symbols.isUnusable(file.key)
    }

    /// Returns the stored file from which no index can be built and that a new file replaces: it is
    /// the same file, or its blob is lost. A blob may also be temporarily unusable.
    ///
    /// Nodes share the record of lost blobs, but each node keeps its own list of unusable files.
    func lostFile(
        replacedBy row: StoredDebugFile, _ draft: inout Draft
    ) async throws -> StoredDebugFile? {
        guard let stored = try await rival(row.image, architecture: row.architecture)
        else { return nil }
        let isUnusable = isUnusable(stored)
        if isUnusable, stored.blob == row.blob { return stored }
        guard isUnusable || storage.sharedIndexes != nil && !stored.isBetter(than: row)
        else { return nil }
        if try await !storage.blobs.contains(stored.blob) { draft.lostBlobs.insert(stored.blob) }
        return draft.lostBlobs.contains(stored.blob) ? stored : nil
    }

    /// Whether a stored file is the lost one, rather than one that was uploaded since.
    func isLost(_ stored: StoredDebugFile, _ lost: StoredDebugFile?) -> Bool {
        stored.key == lost?.key && stored.upload == lost?.upload
    }

    /// Whether the new file replaces the owner's even if it is not better. It never replaces
    /// another file of the same upload, because bundles contain stripped copies of their images.
    func replaces(_ image: ImageID) -> Bool {
        options.replaces && !arrived.isSettled(image)
    }

    /// Returns the owner's stored file that is kept, because it is at least as good.
    ///
    /// - Parameter lost: A stored file that must be replaced.
    func betterRival(
        of row: StoredDebugFile, except lost: StoredDebugFile?
    ) async throws -> StoredDebugFile? {
        guard let rival = try await rival(row.image, architecture: row.architecture),
            rival.blob == row.blob || !replaces(row.image), !row.isBetter(than: rival)
        else { return nil }
        return isLost(rival, lost) ? nil : rival
    }
}
