/// The port to files that several nodes share besides blobs and indexes: symbol maps, and the chunks
/// of uploads. Names are paths such as `symbol-maps/OWNER/FILE`.
public protocol SharedFileStore: Sendable {
    /// Stores a copy of the file at `path`, replacing an earlier one, and returns when other nodes
    /// can fetch it.
    ///
    /// - Parameter lifetime: The time after its last use when it expires, or `nil` if only
    ///   ``remove(_:)`` and ``removeExpired(_:)`` remove it.
    func keep(
        fileAt path: String, as name: String, for lifetime: Duration?
    ) async throws(StorageError)

    /// Copies a file to `path`.
    ///
    /// - Returns: `false` if the file is missing or damaged. A chunk is removed then, because its
    ///   client sends it again.
    func fetch(_ name: String, to path: String) async throws(StorageError) -> Bool

    /// Returns the file with a name, or `nil` if it is not stored.
    func file(_ name: String) async throws(StorageError) -> SharedFile?

    /// Returns the files whose names start with `prefix`.
    func files(under prefix: String) async throws(StorageError) -> [SharedFile]

    /// Returns the size of the files whose names start with `prefix`.
    func byteCount(under prefix: String) async throws(StorageError) -> Int64

    /// Extends the lifetime of files to a time from now on.
    ///
    /// - Returns: The names of the files that are stored.
    func extend(_ names: [String], for lifetime: Duration) async throws(StorageError) -> Set<String>

    /// Removes files.
    func remove(_ names: [String]) async throws(StorageError)

    /// Removes a file if it has expired, or has no lifetime.
    ///
    /// - Returns: Whether the file is no longer stored.
    func removeExpired(_ name: String) async throws(StorageError) -> Bool

    /// Removes the files that expire within some time.
    ///
    /// - Parameter prefix: The start of their names.
    func removeExpiring(under prefix: String, within time: Duration) async throws(StorageError)

    /// Runs `body` unless another node runs it for the same name.
    ///
    /// - Returns: The result, or `nil` if another node runs it.
    func alone<Result: Sendable>(
        _ name: String, _ body: @Sendable () async throws -> Result
    ) async throws -> Result?
}

/// A file that several nodes share.
public struct SharedFile: Hashable, Sendable {
    public let name: String
    public let byteCount: Int64
    /// The SHA-256 of the content, 32 bytes.
    public let sha256: [UInt8]

    public init(name: String, byteCount: Int64, sha256: [UInt8]) {
        self.name = name
        self.byteCount = byteCount
        self.sha256 = sha256
    }
}
