import ByteReading
import CallStacks
import FoundationEssentials
import Glibc
import SymbolIndexes

/// A folder of built indexes that many processes share.
///
/// An index is derived data: any file may be deleted at any time and is built again. Files appear by
/// being renamed and never change, so a reader never sees half of one.
public struct IndexFolder: Sendable {
    /// How much is kept, in bytes. Beyond it the files that were not used for longest go.
    public static let bytesLimit: Int64 = 2 << 30

    public let path: String

    public init(path: String) { self.path = path }

    /// The folder of this user: `SYMBOLIST_CACHE`, else `symbolist` in `XDG_CACHE_HOME` or
    /// `~/.cache`. `nil` when the environment names no home.
    public init?(environment: [String: String]) {
        if let path = environment["SYMBOLIST_CACHE"], !path.isEmpty {
            self.init(path: path)
        } else if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            self.init(path: cache + "/symbolist")
        } else if let home = environment["HOME"], !home.isEmpty {
            self.init(path: home + "/.cache/symbolist")
        } else {
            return nil
        }
    }

    /// What archives hold, kept beside the indexes.
    public var archives: ArchiveFolder { ArchiveFolder(path: path + "/archives") }

    /// What folders of symbols hold, kept beside the indexes.
    public var inventories: InventoryFolder { InventoryFolder(path: path + "/inventories") }

    /// The index of an image as built from one version of its files, or `nil` if there is none. A file
    /// that cannot be opened, or is the index of another image, is removed.
    ///
    /// Its header alone is read; lookups compare what they read with its checksums.
    func index(of image: ImageID, _ architecture: Architecture, from sources: [FileStatus])
        -> SymbolIndex?
    {
        let file = location(of: image, architecture, from: sources)
        guard let bytes = try? MappedFile.bytes(of: file) else { return nil }
        do {
            let index = try SymbolIndex(bytes)
            guard index.isCurrent, index.image.id == image,
                index.image.architecture.name == architecture.name
            else { return remove(file) }
            markAsUsed(file)
            return index
        } catch {
            return remove(file)
        }
    }

    /// Keeps an index and maps it.
    func keep(
        _ index: [UInt8], of image: ImageID, _ architecture: Architecture,
        from sources: [FileStatus]
    ) throws -> FileBytes {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = location(of: image, architecture, from: sources)
        // Of several processes that build one index at once each renames its own draft, and all are
        // the same.
        try replaceFile(at: file, with: index)
        prune()
        return try MappedFile.bytes(of: file)
    }

    private func remove(_ file: String) -> SymbolIndex? {
        try? FileManager.default.removeItem(atPath: file)
        return nil
    }

    /// The time of the last change is that of the last use, because indexes never change.
    private func markAsUsed(_ file: String) {
        _ = unsafe utimensat(AT_FDCWD, file, nil, 0)
    }

    /// The name tells the image, the files that it was built from, and the version of the format, so
    /// a changed source or another version of this program finds no old answer.
    private func location(
        of image: ImageID, _ architecture: Architecture, from sources: [FileStatus]
    ) -> String {
        let source = "\(image.hex)-\(architecture.name)-\(sources.mark)"
        return "\(path)/\(source)-\(SymbolIndexBuilder.revision)\(Self.indexEnding)"
    }

    /// Removes the indexes that were not used for longest until the rest is within the limit.
    func prune(keeping limit: Int64 = Self.bytesLimit) {
        removeLeastRecentlyUsed(in: path, ending: Self.indexEnding, keeping: limit)
    }

    private static let indexEnding = ".symidx"
    static let draftEnding = ".draft"
    /// In seconds; no index takes as long to write.
    static let draftLifetime: Int64 = 24 * 3600
}

extension FileStatus {
    /// Sixteen hexadecimal digits that another version of the file, or another file, does not have.
    var mark: String { [self].mark }
}

extension [FileStatus] {
    /// The same of several files.
    ///
    /// A hash of sizes, times of the last change, and places in the file system.
    var mark: String {
        var hash = FNV1a64()
        for file in self {
            let facts = [
                UInt64(bitPattern: file.size), UInt64(bitPattern: file.modifiedSeconds),
                UInt64(bitPattern: file.modifiedNanoseconds), file.device, file.inode,
            ]
            for fact in facts {
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    hash.add(UInt8(truncatingIfNeeded: fact >> shift))
                }
            }
        }
        return hash.hex
    }
}
