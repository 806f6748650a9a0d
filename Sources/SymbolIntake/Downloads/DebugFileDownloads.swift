public import CallStacks
import Problems
import SymbolIndexes
import Symbolication

/// Selects stored debug files for clients that download them, and opens their content.
///
/// Apple system images are never sent.
public struct DebugFileDownloads: Sendable {
    private let symbols: StoredSymbolIndexes
    /// The limit of all downloads of the service together.
    public let limiter: DownloadLimiter

    private var storage: SymbolStorage { symbols.storage }

    /// The maximum time for which a request waits for a file that is being stored. Clients cache a
    /// miss for minutes.
    private static let waitLimit = Duration.seconds(30)
    private static let waitPause = Duration.milliseconds(100)

    public init(_ symbols: StoredSymbolIndexes, limiter: DownloadLimiter) {
        self.symbols = symbols
        self.limiter = limiter
    }

    /// Returns the file of an image to send, or `nil` if no such file is stored.
    ///
    /// A miss is cached until a file is stored. While an upload that contains the image is being
    /// processed, the function waits for the end of the upload.
    ///
    /// - Parameter isWanted: Whether a file has the requested content.
    public func file(
        of image: ImageID, for access: DebugFileAccess,
        where isWanted: (StoredDebugFile) -> Bool
    ) async throws -> StoredDebugFile? {
        let deadline = ContinuousClock.now + Self.waitLimit
        while true {
            let isArriving = storage.arrivingImages.contains(image)
            if let file = try await storedFile(of: image, for: access, where: isWanted) {
                return file
            }
            guard isArriving, ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: Self.waitPause)
        }
    }

    private func storedFile(
        of image: ImageID, for access: DebugFileAccess,
        where isWanted: (StoredDebugFile) -> Bool
    ) async throws -> StoredDebugFile? {
        guard let files = await symbols.files(of: image) else {
            throw StorageError(
                Problem(
                    "image \(image)", detail: "stored files cannot be listed",
                    suggestion: "try again later"))
        }
        let file = access.choice(
            among: files.flatMap(\.downloads).filter { !$0.isOfSystem && isWanted($0) })
        guard let file else { return nil }
        if file.isELF { return file }
        return try await isOfSystem(file, access: access) ? nil : file
    }

    /// Whether an image that was uploaded as part of a build is an Apple system image.
    private func isOfSystem(
        _ file: StoredDebugFile, access: DebugFileAccess
    ) async throws -> Bool {
        if case .found(let index) = await symbols.symbols(for: file.image, access: access) {
            return index.isOfSystem
        }
        guard !symbols.isDelayed(file.key) else {
            throw StorageError(
                Problem(
                    "image \(file.image)", detail: "index is not available yet",
                    suggestion: "try again later"))
        }
        return false
    }

    /// Opens the content of a file when a download slot is free. Releasing the content frees the
    /// slot.
    ///
    /// - Returns: `nil` if the file was removed.
    /// - Throws: ``StorageError`` if no slot becomes free in time, or if there is no space for a
    ///   copy.
    public func content(of file: StoredDebugFile) async throws -> StoredContent? {
        let slot = try await limiter.slot()
        let path = storage.folders.newIncomingPath()
        guard try await storage.fetchBlob(of: file, to: path) else { return nil }
        return StoredContent(of: file, blob: path, folders: storage.folders, slot: slot)
    }

    /// Records that a client has the file or asks for it.
    public func recordUse(of file: StoredDebugFile) { symbols.recordUse(of: file.key) }
}
