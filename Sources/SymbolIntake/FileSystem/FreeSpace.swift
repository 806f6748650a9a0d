import Glibc

/// The file system that contains a folder.
public struct Disk: Sendable {
    public let folder: String

    public init(folder: String) { self.folder = folder }

    /// Its size, or `nil` if the system does not report it.
    public var byteCount: Int64? { status.map { Int64(clamping: $0.f_blocks * $0.f_frsize) } }

    /// The number of bytes available to this process, or `nil` if the system does not report it.
    public var freeBytes: Int64? { status.map { Int64(clamping: $0.f_bavail * $0.f_frsize) } }

    private var status: statvfs? {
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0, status.f_blocks > 0 else { return nil }
        return status
    }
}

/// The minimum free space on a disk, which leaves room to process and remove data.
public struct FreeSpace: Sendable {
    private let disk: Disk
    /// The minimum free space, below which no uploads are accepted.
    public let leastBytes: Int64

    /// - Parameter leastBytes: The bound, or `nil` for a sixteenth of the disk, at most 1 GiB.
    public init(_ disk: Disk, leastBytes: Int64? = nil) {
        self.disk = disk
        self.leastBytes = leastBytes ?? min(1 << 30, (disk.byteCount ?? 0) / 16)
    }

    /// The number of free bytes, or `nil` if the system does not report it.
    public var freeBytes: Int64? { disk.freeBytes }

    /// Whether writing `bytes` would leave less than ``leastBytes``.
    public func isShort(for bytes: Int64 = 0) -> Bool { isShort(for: bytes, having: freeBytes) }

    /// The same, given a value of ``freeBytes``.
    public func isShort(for bytes: Int64, having free: Int64?) -> Bool {
        guard let free else { return false }
        return free - bytes < leastBytes
    }

    /// - Throws: The error of a write to a full disk, if `bytes` do not fit.
    func check(for bytes: Int64) throws(StorageError) {
        if isShort(for: bytes) { throw StorageError(path: disk.folder, number: ENOSPC) }
    }
}
