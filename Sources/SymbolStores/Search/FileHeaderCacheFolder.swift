import ByteReading
import FoundationEssentials
import Glibc

/// A folder of file headers that earlier runs read, shared by several processes.
///
/// Like indexes, it is derived data: a file may be deleted at any time, and a damaged one is
/// ignored. Files are renamed into place, so of several concurrent runs the last one's file is
/// kept.
public struct FileHeaderCacheFolder: Sendable {
    /// The size limit in bytes. Above it, the least recently used files are removed.
    public static let bytesLimit: Int64 = 256 << 20
    /// The maximum size of one file in bytes, enough for about half a million files and folders.
    static let fileLimit = 64 << 20

    public let path: String
    private let smallestCount: Int
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - smallestCount: The minimum number of findings that are stored. Fewer can be read again
    ///     as quickly.
    ///   - now: The time in seconds since 1970.
    init(
        path: String, smallestCount: Int = 256,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.path = path
        self.smallestCount = smallestCount
        self.now = now
    }

    /// Returns the findings of the last run below some paths.
    func memory(of paths: [String]) -> FileHeaderCache {
        let now = now()
        let file = location(of: paths)
        guard let bytes = try? MappedFile.bytes(of: file), bytes.count <= Self.fileLimit,
            let memory = FileHeaderCache(bytes, now: now)
        else { return FileHeaderCache(of: [], now: now) }
        _ = unsafe utimensat(AT_FDCWD, file, nil, 0)
        return memory
    }

    /// Stores the findings of a run if enough of them are new. If the folder cannot be written to,
    /// the next run is slower.
    func keep(_ memory: FileHeaderCache, of paths: [String]) {
        guard memory.isWorthKeeping, memory.usedFindings.count >= smallestCount else { return }
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? replaceFile(at: location(of: paths), with: memory.encoded(limit: Self.fileLimit))
        removeLeastRecentlyUsed(in: path, ending: Self.ending, keeping: Self.bytesLimit)
    }

    /// Returns a file path that does not reveal the paths. A collision only costs time.
    private func location(of paths: [String]) -> String {
        let here = FileManager.default.currentDirectoryPath
        let whole = paths.map { $0.hasPrefix("/") ? $0 : here + "/" + $0 }
        return "\(path)/\(cacheName(of: whole.joined(separator: "\0")))\(Self.ending)"
    }

    private static let ending = ".inventory"
}
