public import CallStacks

/// A file that a client uploads in chunks.
public struct ChunkedFile: Hashable, Sendable {
    public var checksum: SHA1Checksum
    /// The checksums of its chunks, in file order.
    public var chunks: [SHA1Checksum]
    public var name: String
    /// The identity of its image, or `nil` if the client sent none.
    public var debugID: DebugID?

    public init(
        checksum: SHA1Checksum, chunks: [SHA1Checksum], name: String, debugID: DebugID? = nil
    ) {
        self.checksum = checksum
        self.chunks = chunks
        self.name = name
        self.debugID = debugID
    }
}

/// The next step of a client that uploads a file in chunks.
public enum ChunkedFileState: Hashable, Sendable {
    /// The client should send these chunks, at least one.
    case missing([SHA1Checksum])
    /// The chunks are complete and the file is being processed. The client should ask again.
    case assembling
    case stored(AssembledFile)
    /// The file is not a debug file, which does not fail the upload: a symbol map, or a file of a
    /// kind that is not stored. The text says which.
    case accepted(String)
    /// The content cannot be stored, for this reason.
    case rejected(String)
}
