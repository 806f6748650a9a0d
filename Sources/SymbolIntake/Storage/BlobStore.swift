/// The port to the storage of uploaded files, each named by its content.
public protocol BlobStore: Sendable {
    /// Stores the file at `path`, which is already compressed, and returns when it is on disk. The
    /// store may move the file. A blob that is already stored does not change.
    ///
    /// - Parameter name: SHA-256 of the file before compression, in lower-case hexadecimal digits.
    func keep(fileAt path: String, as name: String) async throws(StorageError)

    /// Whether ``fetch(_:to:)`` needs space for a copy, because the store is elsewhere.
    var needsSpaceForCopies: Bool { get }

    /// Copies a blob to `path`, still compressed. The copy must not be changed.
    ///
    /// - Returns: Whether the blob exists.
    /// - Throws: `StorageError` with ``StorageError/isDamage`` if the blob's bytes differ from
    ///   those that were stored.
    func fetch(_ name: String, to path: String) async throws(StorageError) -> Bool

    /// Whether a blob exists.
    func contains(_ name: String) async throws(StorageError) -> Bool

    /// Removes a blob that no debug file refers to. A store that several nodes share keeps the blob
    /// if an upload on another node may be about to refer to it.
    func remove(_ name: String) async throws(StorageError)

    /// Returns the names of all blobs that may have no debug file.
    func names() async throws(StorageError) -> [String]
}
