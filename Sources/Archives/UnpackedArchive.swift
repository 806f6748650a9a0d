/// What came out of an archive, and of the archives in it.
public struct UnpackedArchive: Sendable {
    /// A file that was wanted.
    public struct File: Hashable, Sendable {
        /// Where it lies on the disk. Its last part is a number and says nothing.
        public let path: String
        /// Its path inside the archive, with slashes; an archive on the way is a folder in it.
        public let name: String
        public let byteCount: Int64
    }

    /// Why an entry was left out without that being a fault.
    public enum SkipReason: Hashable, Sendable {
        /// The caller did not want it.
        case unwanted
        /// `__MACOSX`, `.DS_Store` and the like.
        case residue
        /// A symbolic or hard link: never followed, never made.
        case link
        /// A device, a pipe or a socket.
        case device
    }

    /// In the order of the archive; what was in an archive inside follows after it.
    public internal(set) var files: [File] = []
    /// What could not be unpacked. Everything else was.
    public private(set) var problems: [ArchiveError] = []
    /// How many more there are.
    public private(set) var unlistedProblemCount = 0
    public private(set) var skipped: [SkipReason: Int] = [:]

    /// How many problems are listed.
    public static let problemLimit = 1_000

    /// Unpacks what is wanted of an archive.
    ///
    /// Memory stays the same however large it is.
    ///
    /// - Parameters:
    ///   - name: What errors call the archive.
    ///   - folder: Is made, and must not exist yet. Nothing is written anywhere else.
    ///   - isWanted: Whether an entry is kept. Called for each file but archives, which are unpacked
    ///     in turn and not kept.
    /// - Throws: When the file is no archive, wants a password, is beyond a limit, or what is in it
    ///   cannot be written. The folder is gone then. Damage is no error but a problem: what is whole
    ///   is kept.
    public init(
        of path: String, name: String, into folder: String,
        limits: ArchiveLimits = ArchiveLimits(), keeping isWanted: (ArchiveEntry) -> Bool
    ) throws(ArchiveError) {
        let unpacking: Unpacking
        do throws(ArchiveError.Reason) {
            unpacking = try Unpacking(path, name: name, into: folder, limits: limits)
        } catch { throw ArchiveError(name, error) }
        self = try unpacking.run(keeping: isWanted)
    }

    init() {}

    mutating func skip(_ reason: SkipReason) { skipped[reason, default: 0] += 1 }

    mutating func report(_ problem: ArchiveError) {
        if problems.count < Self.problemLimit {
            problems.append(problem)
        } else {
            unlistedProblemCount += 1
        }
    }
}

/// A file in an archive, by what decides whether it is wanted.
public struct ArchiveEntry: Hashable, Sendable {
    /// Its path inside the archive, as in ``UnpackedArchive/File/name``.
    public let name: String
    /// Its first ``ArchiveKind/startLength`` bytes, or all of a shorter one.
    public let start: [UInt8]

    /// The name without folders.
    public var fileName: Substring { name.split(separator: "/").last ?? "" }
}
