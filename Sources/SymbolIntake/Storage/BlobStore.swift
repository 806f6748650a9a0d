/// The port to the storage of uploaded files, each named by its content.
public protocol BlobStore: Sendable {
    /// Stores the file at `path`, which is already compressed, and returns when it is on disk. The
    /// store may move the file. A blob that is already stored does not change.
    ///
    /// - Parameter name: SHA-256 of the file before compression, in lower-case hexadecimal digits.
    func keep(fileAt path: String, as name: String) async throws(StorageError)

    /// Copies a blob to `path`, still compressed. The copy must not be changed.
    ///
    /// - Returns: Whether the blob exists.
    func fetch(_ name: String, to path: String) async throws(StorageError) -> Bool

    /// Whether a blob exists.
    func contains(_ name: String) async throws(StorageError) -> Bool

    func remove(_ name: String) async throws(StorageError)

    func names() async throws(StorageError) -> [String]
}
