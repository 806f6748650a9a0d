public import Archives
import Decompression
import Problems

/// A report file as received: a single file, which may be compressed, or an archive.
public enum ReceivedFile: ~Copyable {
    case single(DecodedFile)
    case archive(ArchivedFiles)

    /// - Parameters:
    ///   - received: The bytes as received.
    ///   - name: The name of the file in problems.
    ///   - fileLimit: The maximum size of one file, in bytes. The error for a larger file allows
    ///     reading it piece by piece.
    ///   - archiveLimit: The maximum size of an archive or compressed file in an archive, in bytes,
    ///     or `nil` for that of other files.
    /// - Throws: `UnpackingError` if a limit is exceeded or an archive cannot be read at all.
    public init(
        _ received: [UInt8], name: String, limits: UnpackingLimits = .ofReports(), fileLimit: Int,
        archiveLimit: Int? = nil
    ) throws(UnpackingError) {
        let opening = ReceivedFileOpener(
            name: name, limits: limits, fileLimit: fileLimit,
            archiveLimit: archiveLimit ?? fileLimit)
        self.init(try opening.open(received), opening)
    }

    /// Opens an archive of any size or a compressed file. Returns `nil` if the file is neither.
    ///
    /// Parameters and errors are those of ``init(_:name:limits:fileLimit:archiveLimit:)``.
    public init?(
        packedAt path: String, fileLimit: Int, archiveLimit: Int
    ) throws(UnpackingError) {
        let opening = ReceivedFileOpener(
            name: path, limits: .ofReports(), fileLimit: fileLimit, archiveLimit: archiveLimit)
        guard let packed = PackedBytes(ofFile: path) else { return nil }
        self.init(try opening.open(packed), opening)
    }

    /// Whether bytes begin like an archive or a compressed file.
    public static func isPacked(_ start: [UInt8]) -> Bool { ArchiveKind(start: start) != nil }

    /// Whether bytes that do not look packed may still turn out to begin an archive when more bytes
    /// arrive.
    ///
    /// After the first line of a text the result is `false`, so that the lines of a log are not
    /// held back.
    public static func mayBecomePacked(_ start: [UInt8]) -> Bool {
        start.count < ArchiveKind.startLength && !start.contains(UInt8(ascii: "\n"))
    }

    private init(_ opened: consuming ReceivedFileOpener.Outcome, _ opening: ReceivedFileOpener) {
        switch consume opened {
        case .single(let file): self = .single(file)
        case .archive(let members, let damage):
            self = .archive(ArchivedFiles(members, opening, damage: damage))
        }
    }
}

extension UnpackingLimits {
    /// Returns the limits for archives of reports. The largest ones are sysdiagnose archives.
    ///
    /// - Parameter bytes: The maximum unpacked size.
    public static func ofReports(unpackingTo bytes: Int64 = 4 << 30) -> Self {
        var limits = Self()
        limits.unpackedBytes = bytes
        limits.entryCount = 100_000
        limits.depth = 2
        return limits
    }
}

/// Opens a file as an archive or a single file.
struct ReceivedFileOpener {
    enum Outcome: ~Copyable {
        case single(DecodedFile)
        /// An archive, with the reason if it is incomplete.
        case archive(ArchiveMemberReader, damage: Problem?)
    }

    /// The name of the file in problems.
    var name: String
    let limits: UnpackingLimits
    /// The maximum size of one file, in bytes.
    let fileLimit: Int
    /// The maximum size of an archive or compressed file in an archive, in bytes.
    let archiveLimit: Int
    /// The budget left by the enclosing archives, or `nil` for a file outside of archives.
    var budget: UnpackingBudget?

    func open(_ received: [UInt8]) throws(UnpackingError) -> Outcome {
        guard let packed = PackedBytes(received) else { return .single(DecodedFile(received)) }
        switch packed.kind {
        case .zip, .tar: return .archive(try members(of: packed), damage: nil)
        case .gzip, .zstd: return try inflate(received, packed: packed)
        case .xz: return try unpack(packed, received)
        }
    }

    /// Opens a packed file. Large archives are read from disk; compressed files that fit into
    /// memory are inflated.
    func open(_ packed: PackedBytes) throws(UnpackingError) -> Outcome {
        let isArchive = packed.kind == .zip || packed.kind == .tar
        if !isArchive, packed.count <= fileLimit { return try open(try allBytes(of: packed)) }
        return try unpack(packed)
    }

    private func allBytes(of packed: PackedBytes) throws(UnpackingError) -> [UInt8] {
        do {
            return try packed.allBytes()
        } catch {
            throw UnpackingError(ArchiveError(name, error))
        }
    }

    /// Inflates a file, which recovers the bytes before any damage and verifies the checksum.
    private func inflate(
        _ received: [UInt8], packed: PackedBytes
    ) throws(UnpackingError) -> Outcome {
        let file: DecodedFile
        do {
            file = try DecodedFile(received, limit: fileLimit)
        } catch {
            // The files of an archive need not fit in memory together.
            guard error.reason == .tooLarge(limit: fileLimit)
            else { throw UnpackingError(error, of: name) }
            return try unpack(packed, received)
        }
        return try contents(of: file)
    }

    /// Returns the file itself, or the archive that it contains after decompression.
    private func contents(of file: DecodedFile) throws(UnpackingError) -> Outcome {
        guard let inner = PackedBytes(file.bytes), inner.kind == .tar || inner.kind == .zip
        else { return .single(file) }
        return .archive(try members(of: inner), damage: file.damage)
    }

    /// - Parameter received: The bytes of `packed`, if they are in memory.
    private func unpack(
        _ packed: PackedBytes, _ received: [UInt8]? = nil
    ) throws(UnpackingError) -> Outcome {
        var members = try members(of: packed)
        guard members.isSingleFile else { return .archive(members, damage: nil) }
        switch members.next() {
        case .file(_, let bytes, let damage):
            let packedBytes: [UInt8]
            if let received {
                packedBytes = received
            } else {
                packedBytes = try allBytes(of: packed)
            }
            return try contents(
                of: DecodedFile(
                    bytes, received: packedBytes, damage: damage?.problem.of(nil)))
        case .largeFile(_, let member, let error):
            throw UnpackingError(error, largeFile: LargeFile(member, path: ""))
        case .problem(let error): throw UnpackingError(error)
        case nil: return .single(DecodedFile([], received: received ?? [], damage: nil))
        }
    }

    private func members(of packed: PackedBytes) throws(UnpackingError) -> ArchiveMemberReader {
        do {
            return try ArchiveMemberReader(
                of: packed, name: name, limits: limits, budget: budget, fileLimit: fileLimit,
                archiveLimit: archiveLimit
            ) { entry in
                entry.name.isEmpty
                    || ReportFileFilter.admits(file: entry.name)
                        && ReportFileFilter.admits(start: entry.start)
            }
        } catch {
            throw UnpackingError(error)
        }
    }
}
