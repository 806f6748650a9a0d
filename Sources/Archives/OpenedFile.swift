private import Glibc

/// A regular file that is open for reading at any place.
final class OpenedFile {
    let path: String
    private let descriptor: Int32
    /// The size of the file.
    let byteCount: Int64

    init(_ path: String) throws(ArchiveError.Reason) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(systemMessage(errno)) }
        var status = stat()
        let result = unsafe fstat(descriptor, &status)
        byteCount = Int64(status.st_size)
        guard result == 0, status.st_mode & S_IFMT == S_IFREG
        else { throw .unreadable("not a regular file") }
    }

    deinit { close(descriptor) }

    /// Whether a path leads to a regular file. A named pipe that is opened to look at it loses what
    /// is written to it.
    static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// At most `count` bytes from `offset` on; fewer at the end of the file.
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

/// The system's sentence for an error number.
func systemMessage(_ number: Int32) -> String {
    let text = unsafe strerror(number).map { unsafe String(cString: $0) }
    return text?.lowercased() ?? "error \(number)"
}
