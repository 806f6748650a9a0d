/// Why a chunk was not stored.
public enum ChunkError: Error, Hashable, Sendable {
    /// The chunk is larger than this limit, in bytes.
    case tooLarge(limit: Int)
    /// The content's checksum differs from the client's.
    case wrongChecksum(SHA1Checksum, actual: SHA1Checksum)
    /// The compressed content ends early.
    case truncated
    /// Chunks of unfinished files use up the available space, whose size is given in bytes.
    case noRoom(limit: Int64)
}
