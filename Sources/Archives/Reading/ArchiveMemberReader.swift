/// Reads the files of an archive one after another, each into memory and none to disk.
///
/// Nested archives are treated as files. Links, devices and files added by archivers are skipped.
public struct ArchiveMemberReader: ~Copyable {
    public enum Member: Sendable {
        /// The bytes read from a file, and the error if they are incomplete.
        case file(name: String, bytes: [UInt8], damage: ArchiveError?)
        /// A file that is larger than the limit, with the error that says so.
        case largeFile(name: String, PackedMember, ArchiveError)
        case problem(ArchiveError)
    }

    /// The remaining budget. A nested archive continues with that of the outer one.
    public var budget: UnpackingBudget
    /// The number of files skipped because the caller did not select them.
    public private(set) var unwantedCount = 0
    /// Whether the input is a single compressed file, which has no name, rather than an archive.
    public let isSingleFile: Bool
    private let name: String
    private let source: ArchiveSource
    private let limits: UnpackingLimits
    private let fileLimit: Int
    private let archiveLimit: Int
    private let isWanted: (ArchiveMember) -> Bool
    private var reader: ArchiveReader
    private var isAtEnd: Bool
    /// The number of entries started.
    private var entryCount = 0
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// - Parameters:
    ///   - packed: The archive, or a compressed file.
    ///   - name: The name in errors.
    ///   - budget: The budget of the outer archive, if there is one.
    ///   - fileLimit: The maximum size of a file that is read as a whole, in bytes.
    ///   - archiveLimit: The maximum size of a nested archive or compressed file, in bytes.
    ///   - isWanted: Whether to read a file.
    /// - Throws: ``ArchiveError`` if the input is unreadable, or has more entries than the limit.
    public init(
        of packed: PackedBytes, name: String, limits: UnpackingLimits,
        budget: UnpackingBudget?, fileLimit: Int, archiveLimit: Int,
        keeping isWanted: @escaping (ArchiveMember) -> Bool
    ) throws(ArchiveError) {
        let (source, isSingleFile) = try Self.source(packed, limits: limits, name: name)
        reader = try Self.reader(of: source, name: name)
        self.source = source
        self.isSingleFile = isSingleFile
        self.name = name
        var limits = limits
        // The output of a single file has its own limit, and logs can compress very well.
        if isSingleFile { limits.ratio = .max }
        self.limits = limits
        self.fileLimit = fileLimit
        self.archiveLimit = archiveLimit
        self.isWanted = isWanted
        self.budget = budget ?? UnpackingBudget(limits, packedBytes: source.bytes.count)
        isAtEnd = source.isEmpty
    }

    private static func source(
        _ packed: PackedBytes, limits: UnpackingLimits, name: String
    ) throws(ArchiveError) -> (ArchiveSource, isSingleFile: Bool) {
        do throws(ArchiveError.Reason) {
            let source = try ArchiveSource(packed.bytes, entryLimit: limits.entryCount)
            return (source, try isSingleFile(source))
        } catch { throw ArchiveError(name, error) }
    }

    private static func reader(
        of source: ArchiveSource, name: String
    ) throws(ArchiveError) -> ArchiveReader {
        do throws(ArchiveError.Reason) {
            return try ArchiveReader.open(source)
        } catch { throw ArchiveError(name, error) }
    }

    /// Returns the next wanted file or problem, or `nil` at the end.
    public mutating func next() -> Member? {
        while !isAtEnd {
            do throws(ArchiveError.Reason) {
                guard let header = try reader.nextHeader() else { return endOfArchive() }
                entryCount += 1
                try budget.spendEntry()
                if let member = try member(header) { return member }
            } catch {
                // Damage counts as an entry, so that the same damage is not reported endlessly.
                let hasCapacity = (try? budget.spendEntry()) != nil
                isAtEnd = error.endsUnpacking || reader.isBroken || !hasCapacity
                return .problem(ArchiveError(name, error))
            }
        }
        return nil
    }

    /// Whether the input is a single file, which a separate reader detects at the first header.
    private static func isSingleFile(_ source: ArchiveSource) throws(ArchiveError.Reason) -> Bool {
        switch source.kind {
        case .zip, .tar: return false
        case .gzip, .xz, .zstd:
            var reader = try ArchiveReader.open(source)
            return try reader.nextHeader() != nil && reader.isSingleFile
        }
    }

    private mutating func endOfArchive() -> Member? {
        isAtEnd = true
        return source.isTruncated ? .problem(ArchiveError(name, .truncated)) : nil
    }
}

extension ArchiveMemberReader {
    /// - Throws: An error of the whole archive. Errors of one entry are returned as members.
    private mutating func member(
        _ header: ArchiveReader.Header
    ) throws(ArchiveError.Reason) -> Member? {
        let path: String?
        do throws(ArchiveError.Reason) {
            path = try self.path(of: header)
        } catch {
            try skipEntry()
            let shown = header.name.prefix(EntryName.lengthLimit)
            return .problem(ArchiveError(subject(String(decoding: shown, as: UTF8.self)), error))
        }
        guard let path else { return try skipped() }
        if header.isEncrypted { return .problem(ArchiveError(subject(path), .encrypted)) }
        return try file(path)
    }

    /// Returns the path of an entry, or `nil` if the entry is to be skipped.
    private func path(of header: ArchiveReader.Header) throws(ArchiveError.Reason) -> String? {
        guard header.kind == .file else { return nil }
        if isSingleFile { return "" }
        let name = try EntryName(header.name)
        return header.skipReason(name) == nil ? name.text : nil
    }

    private mutating func file(_ path: String) throws(ArchiveError.Reason) -> Member? {
        var bytes: [UInt8] = []
        do throws(ArchiveError.Reason) {
            bytes = Array(try chunk(count: ArchiveKind.startLength))
            guard isWanted(ArchiveMember(name: path, start: bytes)) else {
                unwantedCount += 1
                return try skipped()
            }
            let isPacked = ArchiveKind(start: bytes) != nil
            let limit = isPacked ? archiveLimit : fileLimit
            while case let chunk = try chunk(), !chunk.isEmpty {
                guard bytes.count + chunk.count <= limit
                else { return try largeFile(path, limit: limit, isPacked: isPacked) }
                bytes += chunk
            }
            return .file(name: path, bytes: bytes, damage: nil)
        } catch {
            if error.endsUnpacking { throw error }
            let problem = ArchiveError(subject(path), error)
            return bytes.isEmpty
                ? .problem(problem) : .file(name: path, bytes: bytes, damage: problem)
        }
    }

    private mutating func largeFile(
        _ path: String, limit: Int, isPacked: Bool
    ) throws(ArchiveError.Reason) -> Member {
        let problem = ArchiveError(subject(path), .fileTooLarge(limit: limit))
        let member = PackedMember(problem.subject, at: entryCount - 1, of: source, limits: limits)
        // Nothing follows a compressed file.
        if isSingleFile { isAtEnd = true } else { try skipEntry() }
        return isPacked ? .problem(problem) : .largeFile(name: path, member, problem)
    }

    private mutating func skipped() throws(ArchiveError.Reason) -> Member? {
        try skipEntry()
        return nil
    }

    /// Skips to the end of an entry. Bytes unpacked on the way count against the budget.
    private mutating func skipEntry() throws(ArchiveError.Reason) {
        guard !reader.skipsFreely, !reader.isBroken else { return }
        while try !chunk().isEmpty {}
    }

    /// Returns the next bytes of the entry; empty at its end.
    private mutating func chunk(
        count: Int = 1 << 16
    ) throws(ArchiveError.Reason) -> ArraySlice<UInt8> {
        let count = try reader.read(into: &buffer, count: min(count, buffer.count))
        try budget.spend(bytes: count)
        return buffer.prefix(count)
    }

    private func subject(_ path: String) -> String { path.isEmpty ? name : "\(name)/\(path)" }
}
