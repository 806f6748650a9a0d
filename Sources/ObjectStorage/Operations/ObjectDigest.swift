import Crypto

/// What identifies the content of an object: its size and its SHA-256.
public struct ObjectDigest: Hashable, Sendable {
    /// The size in bytes.
    public let byteCount: Int64
    /// The SHA-256 of the content, 32 bytes.
    public let sha256: [UInt8]

    /// - Precondition: `sha256` has 32 bytes, and `byteCount` is not negative.
    public init(byteCount: Int64, sha256: [UInt8]) {
        precondition(byteCount >= 0, "byteCount: negative")
        precondition(sha256.count == SHA256.byteCount, "sha256: not 32 bytes")
        self.byteCount = byteCount
        self.sha256 = sha256
    }

    /// The digest of bytes in memory.
    public init(of bytes: [UInt8]) {
        self.init(byteCount: Int64(bytes.count), sha256: Array(SHA256.hash(data: bytes)))
    }
}
