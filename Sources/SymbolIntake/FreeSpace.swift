import Glibc

/// The file system that a folder is on.
public struct Disk: Sendable {
    public let folder: String

    public init(folder: String) { self.folder = folder }

    /// Its size, or `nil` if the system does not tell.
    public var byteCount: Int64? { status.map { Int64(clamping: $0.f_blocks * $0.f_frsize) } }

    /// What this process may still write, or `nil` if the system does not tell.
    public var freeBytes: Int64? { status.map { Int64(clamping: $0.f_bavail * $0.f_frsize) } }

    private var status: statvfs? {
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0, status.f_blocks > 0 else { return nil }
        return status
    }
}

/// The free space that a disk must keep, so that what it holds can still be worked on and removed.
public struct FreeSpace: Sendable {
    private let disk: Disk
    /// With less than this, nothing more is taken in.
    public let leastBytes: Int64

    /// - Parameter leastBytes: `nil` for a sixteenth of the disk, at most 1 GiB.
    public init(_ disk: Disk, leastBytes: Int64? = nil) {
        self.disk = disk
        self.leastBytes = leastBytes ?? min(1 << 30, (disk.byteCount ?? 0) / 16)
    }

    /// `nil` if the system does not tell.
    public var freeBytes: Int64? { disk.freeBytes }

    /// Whether less than ``leastBytes`` would be free after so much more is written.
    public func isShort(for bytes: Int64 = 0) -> Bool {
        guard let free = freeBytes else { return false }
        return free - bytes < leastBytes
    }

    /// - Throws: As a write to a full disk does.
    func check(for bytes: Int64) throws(FileFailure) {
        if isShort(for: bytes) { throw FileFailure(disk.folder, ENOSPC) }
    }
}
