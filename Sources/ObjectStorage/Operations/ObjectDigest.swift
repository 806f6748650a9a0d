import Crypto
import NIOCore

/// The size and the SHA-256 of an object's content.
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

    /// The digest of a file. The file is read piece by piece.
    ///
    /// - Throws: An error of the reason `localFile` if it cannot be read.
    public init(ofFileAt path: String) throws(ObjectStorageError) {
        let file = try ReadableFile(path: path)
        var hash = SHA256()
        for start in stride(from: 0, to: file.byteCount, by: Int64.Stride(Self.pieceBytes)) {
            let piece = try file.bytes(in: start..<min(start + Self.pieceBytes, file.byteCount))
            unsafe piece.withUnsafeReadableBytes { unsafe hash.update(bufferPointer: $0) }
        }
        self.init(byteCount: file.byteCount, sha256: Array(hash.finalize()))
    }

    private static let pieceBytes: Int64 = 1 << 20
}
