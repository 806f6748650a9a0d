import Archives
import Glibc

/// Returns the names in a folder in ascending order, without `.` and `..`.
public func folderEntries(of path: String) throws(SymbolStoreError) -> [String] {
    guard let folder = unsafe opendir(SystemPath.bytes(of: path)) else {
        throw .unreadable(path)
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
            unsafe name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                unsafe SystemPath.text(
                    of: Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))))
            }
        }
        if name != ".", name != ".." { names.append(name) }
        errno = 0
    }
    // An incomplete list must not be mistaken for a complete one.
    guard errno == 0 else { throw .unreadable(path) }
    return names.sorted()
}

/// Returns the first bytes of the regular file at `path`, at most `count`.
public func firstBytes(of path: String, count: Int) throws(SymbolStoreError) -> [UInt8] {
    let file = unsafe open(SystemPath.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .unreadable(path) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    var known = 0
    while known < count {
        let read = unsafe bytes.withUnsafeMutableBytes { all in
            unsafe pread(file, all.baseAddress! + known, count - known, off_t(known))
        }
        if read < 0, errno == EINTR { continue }
        guard read >= 0 else { throw .unreadable(path) }
        if read == 0 { break }
        known += read
    }
    return Array(bytes.prefix(known))
}

extension SymbolStoreError {
    /// Returns the error for a file that cannot be opened or read, with the system's message and a
    /// next step.
    static func unreadable(_ path: String, number: Int32 = errno) -> Self {
        switch number {
        case ENOENT, ENOTDIR:
            Self(path, detail: "no such file or folder", suggestion: "check the path")
        case EACCES, EPERM:
            Self(path, detail: "permission denied", suggestion: "check its permissions")
        default: Self(path, detail: "cannot be read: \(systemMessage(number))")
        }
    }
}
