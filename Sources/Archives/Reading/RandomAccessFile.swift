private import Glibc

/// A regular file open for random access.
final class RandomAccessFile: Sendable {
    let path: String
    private let descriptor: Int32
    /// The size of the file.
    let byteCount: Int64

    init(_ path: String) throws(ArchiveError.Reason) {
        self.path = path
        descriptor = unsafe open(SystemPath.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(systemMessage(errno)) }
        var status = stat()
        let result = unsafe fstat(descriptor, &status)
        byteCount = Int64(status.st_size)
        guard result == 0, status.st_mode & S_IFMT == S_IFREG
        else { throw .unreadable("not a regular file") }
    }

    deinit { close(descriptor) }

    /// Whether the path is a regular file. The path is not opened, because opening a named pipe
    /// could lose data written to it.
    static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(SystemPath.bytes(of: path), &status) == 0
            && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns at most `count` bytes from `offset` on; fewer at the end of the file.
    func bytes(at offset: Int64, count: Int) throws(ArchiveError.Reason) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = unsafe bytes.withUnsafeMutableBytes { all in
                unsafe pread(
                    descriptor, all.baseAddress! + filled, count - filled, Int(offset) + filled)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .unreadable(systemMessage(errno)) }
            if read == 0 { break }
            filled += read
        }
        return Array(bytes.prefix(filled))
    }
}

/// Returns the system's message for an error number.
func systemMessage(_ number: Int32) -> String {
    let text = unsafe strerror(number).map { unsafe String(cString: $0) }
    return text?.lowercased() ?? "error \(number)"
}
