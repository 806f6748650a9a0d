import ByteReading
import CallStacks
import FoundationEssentials
import Glibc
import SymbolIndexes

/// A folder of built indexes, shared by several processes.
///
/// An index is derived data: any file may be deleted at any time and is then rebuilt. Files are
/// renamed into place and never change, so readers only see complete ones.
public struct IndexFolder: Sendable {
    /// The size limit in bytes. Above it, the least recently used indexes are removed.
    public static let bytesLimit: Int64 = 2 << 30

    public let path: String
    private let pruning = PruningSchedule(interval: bytesLimit / 32)

    public init(path: String) { self.path = path }

    /// Creates the user's folder: `SYMBOLIST_CACHE`, or else `symbolist` in `XDG_CACHE_HOME` or
    /// `~/.cache`. Returns `nil` if the environment has no home folder.
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

    /// The folder of unpacked archives, next to the indexes.
    public var archives: ArchiveFolder { ArchiveFolder(path: path + "/archives") }

    /// The folder of cached file headers, next to the indexes.
    public var inventories: FileHeaderCacheFolder {
        FileHeaderCacheFolder(path: path + "/inventories")
    }

    /// Returns the index of an image built from one version of its files, or `nil` if there is
    /// none. A file that cannot be opened, or is the index of another image, is removed.
    ///
    /// Only its header is read; lookups verify the checksums of what they read.
    func index(of image: ImageID, architecture: Architecture, from sources: [FileStatus])
        -> SymbolIndex?
    {
        let file = location(of: image, architecture: architecture, from: sources)
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

    /// Stores an index and maps it.
    func keep(
        _ index: [UInt8], of image: ImageID, architecture: Architecture,
        from sources: [FileStatus]
    ) throws -> FileBytes {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = location(of: image, architecture: architecture, from: sources)
        // If several processes build an index at once, each renames its own draft, and all drafts
        // are equal.
        try replaceFile(at: file, with: index)
        if pruning.isDue(adding: Int64(index.count)) { prune() }
        return try MappedFile.bytes(of: file)
    }

    /// Returns whether no process has looked up the image before, and records the lookup.
    func isFirstQuestion(
        _ image: ImageID, architecture: Architecture, from sources: [FileStatus]
    ) -> Bool {
        let mark =
            location(of: image, architecture: architecture, from: sources) + Self.questionEnding
        guard (try? FileStatus(of: mark)) == nil else { return false }
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? replaceFile(at: mark, with: Array("asked\n".utf8))
        removeLeastRecentlyUsed(
            in: path, ending: Self.questionEnding, keeping: Self.questionBytesLimit)
        return true
    }

    private func remove(_ file: String) -> SymbolIndex? {
        try? FileManager.default.removeItem(atPath: file)
        return nil
    }

    /// The modification time is that of the last use, because indexes never change.
    private func markAsUsed(_ file: String) {
        _ = unsafe utimensat(AT_FDCWD, file, nil, 0)
    }

    /// The name contains the image, the state of the files that the index was built from, and the
    /// format version, so that an index of a changed file or another program version is never
    /// found.
    private func location(
        of image: ImageID, architecture: Architecture, from sources: [FileStatus]
    ) -> String {
        let source = "\(image.hex)-\(architecture.name)-\(sources.mark)"
        return "\(path)/\(source)-\(SymbolIndexBuilder.revision)\(Self.indexEnding)"
    }

    /// Removes the least recently used indexes until the rest is within the limit.
    func prune(keeping limit: Int64 = Self.bytesLimit) {
        removeLeastRecentlyUsed(in: path, ending: Self.indexEnding, keeping: limit)
    }

    private static let indexEnding = ".symidx"
    /// The suffix of the files that mark an image as looked up.
    private static let questionEnding = ".asked"
    /// The size limit of these files in bytes, enough for some ten thousand of them.
    private static let questionBytesLimit: Int64 = 1 << 16
    static let draftEnding = ".draft"
    /// The age in seconds at which a draft is abandoned; no index takes as long to write.
    static let draftLifetime: Int64 = 24 * 3600
}

extension FileStatus {
    /// Sixteen hexadecimal digits that identify this version of the file.
    var mark: String { [self].mark }
}

extension [FileStatus] {
    /// Sixteen hexadecimal digits that identify these versions of the files: a hash of their sizes,
    /// modification times and inodes.
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
