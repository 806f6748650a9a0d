import Archives
import Glibc

/// The status of a file in the file system, available without reading the file.
public struct FileStatus: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case file, folder, link, other
    }

    public let kind: Kind
    /// The size in bytes.
    public let size: Int64
    package let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
    /// The time of the last change to the contents or the status. Unlike the modification time,
    /// programs cannot set it.
    let changedSeconds: Int64
    let changedNanoseconds: Int64
    let device: UInt64
    let inode: UInt64

    public func hash(into hasher: inout Hasher) {
        // The inode is enough for hashing; equality compares all fields.
        hasher.combine(inode)
        hasher.combine(modifiedNanoseconds)
    }

    /// Reads the status of an open file.
    init(ofOpen file: Int32, path: String) throws(SymbolStoreError) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0
        else { throw .unreadable(path) }
        self.init(status)
    }

    /// Reads the status of the file at `path`, or of the link itself.
    public init(of path: String, followingLinks: Bool = true) throws(SymbolStoreError) {
        var status = stat()
        let bytes = SystemPath.bytes(of: path)
        let result = unsafe followingLinks ? stat(bytes, &status) : lstat(bytes, &status)
        guard result == 0 else { throw .unreadable(path) }
        self.init(status)
    }

    init(
        kind: Kind, size: Int64, modifiedSeconds: Int64, modifiedNanoseconds: Int64,
        changedSeconds: Int64, changedNanoseconds: Int64, device: UInt64, inode: UInt64
    ) {
        self.kind = kind
        self.size = size
        self.modifiedSeconds = modifiedSeconds
        self.modifiedNanoseconds = modifiedNanoseconds
        self.changedSeconds = changedSeconds
        self.changedNanoseconds = changedNanoseconds
        self.device = device
        self.inode = inode
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
        changedSeconds = Int64(status.st_ctim.tv_sec)
        changedNanoseconds = Int64(status.st_ctim.tv_nsec)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

/// Returns the system's message for an error number, in lower case.
public func systemMessage(_ number: Int32) -> String {
    unsafe strerror(number).map { unsafe String(cString: $0).lowercased() } ?? "error \(number)"
}
