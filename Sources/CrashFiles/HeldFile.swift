public import Archives
import Decompression

/// A file as a person has it: a report by itself, perhaps compressed, or an archive of files.
public enum HeldFile: ~Copyable {
    case single(UnwrappedFile)
    case archive(ArchivedFiles)

    /// - Parameters:
    ///   - received: As it came.
    ///   - name: What problems of an archive call it.
    ///   - fileLimit: The most bytes of one file.
    /// - Throws: What is beyond a limit, or an archive that cannot be read at all.
    public init(
        _ received: [UInt8], name: String, limits: ArchiveLimits = .ofReports(), fileLimit: Int
    ) throws(HeldFileError) {
        let opening = FileOpening(name: name, limits: limits, fileLimit: fileLimit)
        self.init(try opening.open(received), opening)
    }

    /// An archive or a compressed file at a path; an archive may be of any size. `nil` for what is
    /// neither.
    ///
    /// - Parameter fileLimit: The most bytes of one file.
    /// - Throws: As ``init(_:name:limits:fileLimit:)``.
    public init?(packedAt path: String, fileLimit: Int) throws(HeldFileError) {
        let opening = FileOpening(name: path, limits: .ofReports(), fileLimit: fileLimit)
        guard let packed = PackedBytes(ofFile: path) else { return nil }
        self.init(try opening.open(packed), opening)
    }

    /// Whether bytes begin as an archive or a compressed file does.
    public static func isPacked(_ start: [UInt8]) -> Bool { ArchiveKind(start: start) != nil }

    private init(_ opened: consuming FileOpening.Outcome, _ opening: FileOpening) {
        switch consume opened {
        case .single(let file): self = .single(file)
        case .archive(let members, let damage):
            self = .archive(ArchivedFiles(members, opening, damage: damage))
        }
    }
}

extension ArchiveLimits {
    /// Of archives of reports: what a device gathers for a diagnosis is the largest of them.
    ///
    /// - Parameter bytes: The most that is unpacked.
    public static func ofReports(unpackingTo bytes: Int64 = 4 << 30) -> Self {
        var limits = Self()
        limits.unpackedBytes = bytes
        limits.entryCount = 100_000
        limits.depth = 2
        return limits
    }
}

/// Tells archives from files.
struct FileOpening {
    enum Outcome: ~Copyable {
        case single(UnwrappedFile)
        /// With the reason why the archive is not whole.
        case archive(ArchiveMembers, damage: String?)
    }

    /// What problems of an archive call it.
    var name: String
    let limits: ArchiveLimits
    /// The most bytes of one file.
    let fileLimit: Int
    /// What the archives around it leave; `nil` for a file in none.
    var budget: UnpackingBudget?

    func open(_ received: [UInt8]) throws(HeldFileError) -> Outcome {
        guard let packed = PackedBytes(received) else { return .single(UnwrappedFile(received)) }
        switch packed.kind {
        case .zip, .tar: return .archive(try members(of: packed), damage: nil)
        case .gzip, .zstd: return try inflate(received, packed)
        case .xz: return try unpack(received, packed)
        }
    }

    /// Large archives are read from the disk; what is compressed and fits is inflated as a whole.
    func open(_ packed: PackedBytes) throws(HeldFileError) -> Outcome {
        let isArchive = packed.kind == .zip || packed.kind == .tar
        if !isArchive, packed.count <= fileLimit { return try open(try allBytes(of: packed)) }
        let members = try members(of: packed)
        guard !members.isSoleFile
        else { throw HeldFileError(ArchiveError(name, .fileTooLarge(limit: fileLimit))) }
        return .archive(members, damage: nil)
    }

    private func allBytes(of packed: PackedBytes) throws(HeldFileError) -> [UInt8] {
        do {
            return try packed.allBytes()
        } catch {
            throw HeldFileError(ArchiveError(name, error))
        }
    }

    /// Inflated by itself a file gives what comes before the damage, and its checksum counts.
    private func inflate(
        _ received: [UInt8], _ packed: PackedBytes
    ) throws(HeldFileError) -> Outcome {
        let file: UnwrappedFile
        do {
            file = try UnwrappedFile(received, limit: fileLimit)
        } catch {
            // The files of an archive need not all have room at once.
            let members = try members(of: packed)
            guard error.reason == .tooLarge(limit: fileLimit), !members.isSoleFile
            else { throw HeldFileError(error, of: name) }
            return .archive(members, damage: nil)
        }
        guard let inner = PackedBytes(file.bytes), inner.kind == .tar || inner.kind == .zip
        else { return .single(file) }
        return .archive(try members(of: inner), damage: file.damage)
    }

    private func unpack(
        _ received: [UInt8], _ packed: PackedBytes
    ) throws(HeldFileError) -> Outcome {
        var members = try members(of: packed)
        guard members.isSoleFile else { return .archive(members, damage: nil) }
        switch members.next() {
        case .file(_, let bytes, let damage):
            return .single(
                UnwrappedFile(bytes, received: received, damage: damage.map(Self.words)))
        case .problem(let error): throw HeldFileError(error)
        case nil: return .single(UnwrappedFile([], received: received, damage: nil))
        }
    }

    private func members(of packed: PackedBytes) throws(HeldFileError) -> ArchiveMembers {
        do {
            return try ArchiveMembers(
                of: packed, name: name, limits: limits, budget: budget, fileLimit: fileLimit
            ) { entry in
                entry.name.isEmpty
                    || ReportPlace.admits(file: entry.name)
                        && ReportPlace.admits(start: entry.start)
            }
        } catch {
            throw HeldFileError(error)
        }
    }

    /// An error without its subject.
    static func words(_ error: ArchiveError) -> String {
        [error.reason.what, error.reason.next].compactMap(\.self).joined(separator: ": ")
    }
}
