import ErrorDescriptions
import Glibc
import NIOCore
import Problems

/// A file that is open for reading.
final class ReadableFile: Sendable {
    let path: String
    /// The size in bytes at the time it was opened.
    let byteCount: Int64
    private let descriptor: Int32

    /// - Throws: ``ObjectStorageError`` if it cannot be opened.
    init(path: String) throws(ObjectStorageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path, detail: "cannot be read", number: errno) }
        self.descriptor = descriptor
        self.path = path
        byteCount = Int64(lseek(descriptor, 0, SEEK_END))
    }

    deinit { close(descriptor) }

    /// Returns the bytes of a range.
    ///
    /// - Throws: ``ObjectStorageError`` if reading fails or the file has become shorter.
    func bytes(in range: Range<Int64>) throws(ObjectStorageError) -> ByteBuffer {
        var buffer = ByteBuffer()
        while buffer.readableBytes < range.count {
            let count = read(
                range.count - buffer.readableBytes,
                at: Int(range.lowerBound) + buffer.readableBytes, into: &buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file(path, detail: "cannot be read", number: errno) }
            guard count > 0 else { throw .file(path, detail: "became shorter while it was sent") }
        }
        return buffer
    }

    private func read(_ count: Int, at offset: Int, into buffer: inout ByteBuffer) -> Int {
        var result = 0
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            result = unsafe pread(descriptor, space.baseAddress, count, offset)
            return max(result, 0)
        }
        return result
    }
}

extension ObjectStorageError {
    /// An error of a local file.
    ///
    /// - Parameter number: The `errno`.
    static func file(_ path: String, detail: String, number: Int32? = nil) -> Self {
        let cause =
            number.map { ": \(ErrorDescription(IOError(errnoCode: $0, reason: path)))" } ?? ""
        return Self(.localFile, Problem(path, detail: detail + cause))
    }
}
