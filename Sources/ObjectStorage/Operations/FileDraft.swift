import Crypto
import Glibc
import NIOCore

/// A file that is being written, under a temporary name. It is removed unless it is finished.
struct FileDraft: ~Copyable {
    private let path: String
    private let draftPath: String
    private let descriptor: Int32
    private var hash = SHA256()
    private var byteCount: Int64 = 0

    /// - Parameter path: The final path of the file.
    /// - Throws: ``ObjectStorageError`` if it cannot be created.
    init(of path: String) throws(ObjectStorageError) {
        self.path = path
        draftPath = "\(path).\(UInt64.random(in: 0 ... .max)).download"
        descriptor = unsafe open(draftPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(path, detail: "cannot be written", number: errno) }
    }

    deinit {
        close(descriptor)
        // Does nothing for a finished file, which has been renamed.
        _ = unsafe unlink(draftPath)
    }

    /// - Parameter limit: The size of the whole file in bytes.
    /// - Throws: ``AttemptFailure`` beyond the limit, or ``ObjectStorageError``.
    mutating func append(_ piece: ByteBuffer, limit: Int64) throws {
        byteCount += Int64(piece.readableBytes)
        guard byteCount <= limit else {
            throw AttemptFailure.wrongBytes("sent more than \(limit) bytes")
        }
        unsafe piece.withUnsafeReadableBytes { unsafe hash.update(bufferPointer: $0) }
        try write(piece)
    }

    private func write(_ piece: ByteBuffer) throws(ObjectStorageError) {
        var rest = piece
        while rest.readableBytes > 0 {
            let count = unsafe rest.withUnsafeReadableBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file(path, detail: "cannot be written", number: errno) }
            rest.moveReaderIndex(forwardBy: count)
        }
    }

    /// Verifies the content, and renames the file to its final name. Content and name survive a
    /// power failure.
    mutating func finish(expecting digest: ObjectDigest) throws {
        guard byteCount == digest.byteCount else {
            throw AttemptFailure.wrongBytes("sent \(byteCount) of \(digest.byteCount) bytes")
        }
        guard Array(hash.finalize()) == digest.sha256 else {
            throw AttemptFailure.wrongBytes("SHA-256 differs from the expected one")
        }
        guard fdatasync(descriptor) == 0, unsafe rename(draftPath, path) == 0 else {
            throw ObjectStorageError.file(path, detail: "cannot be written", number: errno)
        }
    }
}
