import Glibc

/// What the file system says about a file without reading it.
struct FileStatus: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case file, folder, link, other
    }

    let kind: Kind
    /// In bytes.
    let size: Int64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
    let device: UInt64
    let inode: UInt64

    /// The status of an open file.
    init(ofOpen file: Int32, path: String) throws(SymbolStoreError) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0
        else { throw .unreadable(path) }
        self.init(status)
    }

    /// The status of what `path` leads to, or of the link itself.
    init(of path: String, followingLinks: Bool = true) throws(SymbolStoreError) {
        var status = stat()
        let result = unsafe followingLinks ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { throw .unreadable(path) }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        size = Int64(status.st_size)
        modifiedSeconds = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

/// The system's sentence for an error number.
func systemMessage(_ number: Int32) -> String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
}
