/// The files unpacked from an archive, and from the archives inside it.
public struct UnpackedArchive: Sendable {
    /// An unpacked file.
    public struct File: Hashable, Sendable {
        /// The path on disk, whose last component is an arbitrary number.
        public let path: String
        /// The path inside the archive, with slashes. Nested archives count as folders.
        public let name: String
        public let byteCount: Int64
    }

    /// Why an entry was skipped without being a problem.
    public enum SkipReason: Hashable, Sendable {
        /// The caller did not select it.
        case unwanted
        /// A file such as `__MACOSX` or `.DS_Store`.
        case residue
        /// A symbolic or hard link; never followed, never created.
        case link
        /// A device, a pipe or a socket.
        case device
    }

    /// The files in the order of the archive. Those in nested archives come after the others.
    public internal(set) var files: [File] = []
    /// The problems with entries that could not be unpacked.
    public private(set) var problems: [ArchiveError] = []
    /// The number of further problems.
    public private(set) var unlistedProblemCount = 0
    public private(set) var skipped: [SkipReason: Int] = [:]

    /// The maximum number of problems listed.
    public static let problemLimit = 1_000

    /// Unpacks the wanted files of an archive.
    ///
    /// Memory use does not depend on the size of the archive.
    ///
    /// - Parameters:
    ///   - name: The archive's name in errors.
    ///   - folder: The folder to create for the files. Nothing is written elsewhere.
    ///   - isWanted: Whether to keep an entry. Called for each file except archives, which are
    ///     unpacked in turn and not kept.
    /// - Throws: ``ArchiveError`` if the file is not an archive, is encrypted, exceeds a limit, or
    ///   its files cannot be written; the folder is removed then. Damage is reported as a problem,
    ///   and the intact files are kept.
    public init(
        of path: String, name: String, into folder: String,
        limits: UnpackingLimits = UnpackingLimits(), keeping isWanted: (ArchiveMember) -> Bool
    ) throws(ArchiveError) {
        let unpacking: Unpacker
        do throws(ArchiveError.Reason) {
            unpacking = try Unpacker(path, name: name, into: folder, limits: limits)
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

/// A file in an archive, for deciding whether it is wanted.
public struct ArchiveMember: Hashable, Sendable {
    /// The path inside the archive, as in ``UnpackedArchive/File/name``.
    public let name: String
    /// The first ``ArchiveKind/startLength`` bytes, or the whole content if it is shorter.
    public let start: [UInt8]
}
