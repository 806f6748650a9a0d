import ByteReading
import FoundationEssentials
import Glibc

/// A folder of what earlier runs found in folders of symbols, which many processes share.
///
/// Derived data, as indexes are: a file may be deleted at any time, and one that is damaged counts
/// as none. Files appear by being renamed, so of several runs at once the last one's stays.
public struct InventoryFolder: Sendable {
    /// How much is kept, in bytes. Beyond it the files that were not used for longest go.
    public static let bytesLimit: Int64 = 256 << 20
    /// How long one file may be, in bytes: about half a million files and folders.
    static let fileLimit = 64 << 20

    public let path: String
    private let smallestCount: Int
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - smallestCount: How many findings are worth a file. Fewer are as soon found again.
    ///   - now: The seconds since 1970.
    init(
        path: String, smallestCount: Int = 256,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.path = path
        self.smallestCount = smallestCount
        self.now = now
    }

    /// What the last run found below some paths.
    func memory(of paths: [String]) -> InventoryMemory {
        let now = now()
        let file = location(of: paths)
        guard let bytes = try? MappedFile.bytes(of: file), bytes.count <= Self.fileLimit,
            let memory = InventoryMemory(bytes, now: now)
        else { return InventoryMemory(of: [], now: now) }
        _ = unsafe utimensat(AT_FDCWD, file, nil, 0)
        return memory
    }

    /// Keeps what a run found, if that is news. A folder that cannot be written to costs the next run
    /// its time, and nothing else.
    func keep(_ memory: InventoryMemory, of paths: [String]) {
        guard memory.isWorthKeeping, memory.usedFindings.count >= smallestCount else { return }
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? replaceFile(at: location(of: paths), with: memory.encoded(limit: Self.fileLimit))
        removeLeastRecentlyUsed(in: path, ending: Self.ending, keeping: Self.bytesLimit)
    }

    /// A name for the paths, which says nothing of them. Two that share it by chance only cost time.
    private func location(of paths: [String]) -> String {
        let here = FileManager.default.currentDirectoryPath
        let whole = paths.map { $0.hasPrefix("/") ? $0 : here + "/" + $0 }
        return "\(path)/\(cacheName(of: whole.joined(separator: "\0")))\(Self.ending)"
    }

    private static let ending = ".inventory"
}
