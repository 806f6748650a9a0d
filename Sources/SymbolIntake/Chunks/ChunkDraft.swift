import Crypto
import Decompression

/// A chunk that is being received, which is decompressed, checked and written piece by piece.
public struct ChunkDraft: ~Copyable {
    let path: String
    private var file: DurableFileWriter
    private var hash = Insecure.SHA1()
    private var inflater: StreamInflater?
    private let byteLimit: Int

    /// The size of the chunk after decompression, in bytes.
    var byteCount: Int64 { file.byteCount }

    init(at path: String, isCompressed: Bool, byteLimit: Int) throws(StorageError) {
        self.path = path
        self.byteLimit = byteLimit
        file = try DurableFileWriter(at: path)
        inflater = isCompressed ? StreamInflater(coding: .gzip) : nil
    }

    /// - Throws: ``ChunkError/tooLarge(limit:)`` before more than the limit is written, or an error
    ///   of the decompression or the file system.
    public mutating func write(_ bytes: Span<UInt8>) throws {
        guard inflater != nil else { return try writeInflated(bytes) }
        // Moved out of `self` while it runs, because the output is written to `self`.
        var inflating = inflater.take()
        defer { inflater = inflating.take() }
        try inflating?.add(bytes) { try writeInflated($0) }
    }

    private mutating func writeInflated(_ bytes: Span<UInt8>) throws {
        guard file.byteCount + Int64(bytes.count) <= Int64(byteLimit)
        else { throw ChunkError.tooLarge(limit: byteLimit) }
        unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        try file.write(bytes)
    }

    /// Flushes the chunk to disk.
    ///
    /// - Throws: ``ChunkError`` if it is not the complete chunk with this checksum.
    func finish(as checksum: SHA1Checksum) throws {
        switch inflater {
        case .some(let inflater):
            guard inflater.isAtEnd else { throw ChunkError.truncated }
        case .none: break
        }
        let actual = SHA1Checksum(digest: hash.finalize())
        guard actual == checksum else { throw ChunkError.wrongChecksum(checksum, actual: actual) }
        try file.finish()
    }
}
