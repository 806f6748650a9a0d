import Archives
import Glibc

/// Writes a result to the path given by the user.
///
/// A regular file is replaced by a draft that is renamed, so a failed run leaves the old file
/// intact; its mode is kept. Links are followed, even if the target does not exist yet. Any other
/// target is written to directly: a pipe, a socket, a device such as `/dev/null`, or a descriptor
/// of this process such as `/dev/stdout`.
///
/// - Throws: ``SymbolStoreError`` if the path is a folder or cannot be written to.
public func writeOutput(_ bytes: [UInt8], to path: String) throws(SymbolStoreError) {
    switch try OutputTarget(path) {
    case .missing(let path): try replaceFile(at: path, with: bytes)
    case .file(let path, let mode): try replaceOrOverwrite(path, mode: mode, with: bytes)
    case .socket: try write(bytes, to: path) { connectedSocket(path) }
    case .stream:
        try write(bytes, to: path) { unsafe open(SystemPath.bytes(of: path), O_WRONLY | O_CLOEXEC) }
    case .descriptor(let number): try write(bytes, to: path) { fcntl(number, F_DUPFD_CLOEXEC, 0) }
    }
}

/// The kind of file at a path, with links followed.
private enum OutputTarget {
    case missing(path: String)
    case file(path: String, mode: mode_t)
    case socket
    /// A pipe or a device.
    case stream
    /// A file that this process already has open.
    case descriptor(Int32)

    /// The maximum number of links in a chain, the same as the kernel's.
    private static let linksLimit = 40

    init(_ path: String) throws(SymbolStoreError) {
        let target = try Self.target(of: path)
        if let number = Self.descriptor(target) {
            self = .descriptor(number)
            return
        }
        var status = stat()
        guard unsafe stat(SystemPath.bytes(of: target), &status) == 0 else {
            if errno == ENOENT {
                self = .missing(path: target)
                return
            }
            throw unwritable(path, number: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            throw SymbolStoreError(path, detail: "is a folder", suggestion: "set -o to a file")
        case S_IFREG: self = .file(path: target, mode: status.st_mode & 0o7777)
        case S_IFSOCK: self = .socket
        default: self = .stream
        }
    }

    /// Returns the target of a chain of links, which need not exist. A link to a descriptor is not
    /// followed, because its file may have been renamed or removed.
    private static func target(of path: String) throws(SymbolStoreError) -> String {
        var target = path
        for _ in 0..<linksLimit {
            guard descriptor(target) == nil, let next = link(at: target) else { return target }
            let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
            target = next.hasPrefix("/") ? next : folder + next
        }
        throw unwritable(path, number: ELOOP)
    }

    private static func link(at path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { text in
            let count = unsafe readlink(SystemPath.bytes(of: path), text.baseAddress!, text.count)
            guard count > 0 else { return nil }
            return unsafe SystemPath.text(
                of: Array(UnsafeRawBufferPointer(start: text.baseAddress, count: count)))
        }
    }

    private static let descriptorFolders = ["/dev/fd/", "/proc/self/fd/"]

    private static func descriptor(_ path: String) -> Int32? {
        let own = descriptorFolders + ["/proc/\(getpid())/fd/"]
        return own.first { path.hasPrefix($0) }.flatMap { Int32(path.dropFirst($0.count)) }
    }
}

/// Replaces a file, or overwrites it if it cannot be replaced: its folder is not writable, or the
/// file itself is a mount point, as in a container.
private func replaceOrOverwrite(
    _ path: String, mode: mode_t, with bytes: [UInt8]
) throws(SymbolStoreError) {
    guard let problem = replace(path, mode: mode, with: bytes) else { return }
    guard [EACCES, EPERM, EROFS, EBUSY, EXDEV].contains(problem) else {
        throw unwritable(path, number: problem)
    }
    try write(bytes, to: path) {
        unsafe open(SystemPath.bytes(of: path), O_WRONLY | O_TRUNC | O_CLOEXEC)
    }
}

private func write(
    _ bytes: [UInt8], to path: String, opening: () -> Int32
) throws(SymbolStoreError) {
    let file = opening()
    guard file >= 0 else { throw unwritable(path, number: errno) }
    defer { close(file) }
    // A reader that stops reading is not an error.
    guard writeAll(bytes, to: file) || errno == EPIPE else { throw unwritable(path, number: errno) }
}

/// Connects to the process that listens at a path. Returns -1 and sets `errno` if there is none.
private func connectedSocket(_ path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else {
        errno = ENAMETOOLONG
        return -1
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard connection >= 0 else { return -1 }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isConnected = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(connection, $0, size) == 0
        }
    }
    if isConnected { return connection }
    let problem = errno
    close(connection)
    errno = problem
    return -1
}
