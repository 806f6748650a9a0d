import Glibc

/// A file being written, which is on disk once ``finish()`` has returned.
public struct DurableFileWriter: ~Copyable {
    public let path: String
    public private(set) var byteCount: Int64 = 0
    private let file: Int32

    /// - Throws: ``StorageError`` if the file exists or cannot be created.
    public init(at path: String) throws(StorageError) {
        self.path = path
        file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StorageError(path: path) }
    }

    deinit { close(file) }

    public mutating func write(_ bytes: Span<UInt8>) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.write(file, all.baseAddress! + written, all.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError(path: path) }
            written += count
        }
        byteCount += Int64(written)
    }

    public func finish() throws(StorageError) {
        guard fsync(file) == 0 else { throw StorageError(path: path) }
    }
}
