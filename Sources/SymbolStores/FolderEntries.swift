import Glibc

/// The names in a folder, without `.` and `..`, in order.
///
/// Names that are not UTF-8 are left out: no path could be made of them.
public func folderEntries(of path: String) throws(SymbolStoreError) -> [String] {
    guard let folder = unsafe opendir(path) else {
        throw .unreadable(path)
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
            unsafe name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                unsafe String(validatingCString: $0)
            }
        }
        if let name, name != ".", name != ".." { names.append(name) }
        errno = 0
    }
    // A list that broke off must not pass for the whole.
    guard errno == 0 else { throw .unreadable(path) }
    return names.sorted()
}

/// The first bytes of the regular file at `path`, at most `count`.
public func firstBytes(of path: String, count: Int) throws(SymbolStoreError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
    /// That the system refused to open or read a file, with what it says and what would help.
    static func unreadable(_ path: String, _ number: Int32 = errno) -> Self {
        switch number {
        case ENOENT, ENOTDIR: Self(path, "no such file or folder", next: "give a path that exists")
        case EACCES, EPERM: Self(path, "permission denied", next: "check its permissions")
        default: Self(path, "cannot be read: \(systemMessage(number))")
        }
    }
}
