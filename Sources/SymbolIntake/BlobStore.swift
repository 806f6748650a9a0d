/// The port to the uploaded files themselves, each named by its content.
public protocol BlobStore: Sendable {
    /// Keeps the file at `path`, which is already compressed; the store may move it away. Returns
    /// when it is on the disk. One that is there already is left as it is.
    ///
    /// - Parameter name: SHA-256 of the file before compression, in lower-case hexadecimal digits.
    func keep(fileAt path: String, as name: String) async throws(BlobError)

    /// Copies a blob, still compressed, to `path`.
    ///
    /// - Returns: Whether there is such a blob.
    func fetch(_ name: String, to path: String) async throws(BlobError) -> Bool

    /// Whether there is such a blob.
    func holds(_ name: String) async throws(BlobError) -> Bool

    func remove(_ name: String) async throws(BlobError)

    func names() async throws(BlobError) -> [String]
}

/// Why a blob could not be kept or fetched, with the next step.
public struct BlobError: Error, Hashable, Sendable, CustomStringConvertible {
    public var isFull: Bool
    public var description: String

    public init(_ description: String, isFull: Bool = false) {
        self.isFull = isFull
        self.description = description
    }
}
