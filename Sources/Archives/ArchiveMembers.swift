/// Reads the files of an archive one after another, each into memory and none to the disk.
///
/// An archive inside is a file like others. What Finder and archivers leave beside the files, links
/// and devices are passed over.
public struct ArchiveMembers: ~Copyable {
    public enum Member: Sendable {
        /// What was read of a file, and why that is not all of it.
        case file(name: String, bytes: [UInt8], damage: ArchiveError?)
        case problem(ArchiveError)
    }

    /// What may still be unpacked; that of an archive inside goes on from the one around it.
    public var budget: UnpackingBudget
    /// How many files were not wanted.
    public private(set) var unwantedCount = 0
    /// Whether it is one compressed file and no archive, which has no name then.
    public let isSoleFile: Bool
    private let name: String
    private let source: ArchiveSource
    private let fileLimit: Int
    private let isWanted: (ArchiveEntry) -> Bool
    private var reader: ArchiveReader
    private var isAtEnd: Bool
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// - Parameters:
    ///   - packed: The archive, or a compressed file.
    ///   - name: What errors call it.
    ///   - budget: Of the archive that it lies in, if it lies in one.
    ///   - fileLimit: The largest file that is read, in bytes.
    ///   - isWanted: Whether a file is read.
    /// - Throws: When it cannot be read at all, or has more entries than the limit.
    public init(
        of packed: PackedBytes, name: String, limits: ArchiveLimits,
        budget: UnpackingBudget? = nil, fileLimit: Int,
        keeping isWanted: @escaping (ArchiveEntry) -> Bool
    ) throws(ArchiveError) {
        let (source, isSoleFile) = try Self.source(packed, limits, name)
        reader = try Self.reader(of: source, name)
        self.source = source
        self.isSoleFile = isSoleFile
        self.name = name
        self.fileLimit = fileLimit
        self.isWanted = isWanted
        self.budget = budget ?? UnpackingBudget(limits, packedBytes: source.bytes.count)
        isAtEnd = source.isEmpty
    }

    private static func source(
        _ packed: PackedBytes, _ limits: ArchiveLimits, _ name: String
    ) throws(ArchiveError) -> (ArchiveSource, isSoleFile: Bool) {
        do throws(ArchiveError.Reason) {
            let source = try ArchiveSource(packed.bytes, entryLimit: limits.entryCount)
            return (source, try isSoleFile(source))
        } catch { throw ArchiveError(name, error) }
    }

    private static func reader(
        of source: ArchiveSource, _ name: String
    ) throws(ArchiveError) -> ArchiveReader {
        do throws(ArchiveError.Reason) {
            return try ArchiveReader.open(source)
        } catch { throw ArchiveError(name, error) }
    }

    /// The next file that is wanted, or the next problem; `nil` at the end.
    public mutating func next() -> Member? {
        while !isAtEnd {
            do throws(ArchiveError.Reason) {
                guard let header = try reader.nextHeader() else { return endOfArchive() }
                try budget.spendEntry()
                if let member = try member(header) { return member }
            } catch {
                // Damage is counted too, or one place of it could be met without end.
                let hasRoom = (try? budget.spendEntry()) != nil
                isAtEnd = error.endsUnpacking || reader.isBroken || !hasRoom
                return .problem(ArchiveError(name, error))
            }
        }
        return nil
    }

    /// A format is known with the first entry, which is read by a reader of its own.
    private static func isSoleFile(_ source: ArchiveSource) throws(ArchiveError.Reason) -> Bool {
        switch source.kind {
        case .zip, .tar: return false
        case .gzip, .xz, .zstd:
            var reader = try ArchiveReader.open(source)
            return try reader.nextHeader() != nil && reader.isSoleFile
        }
    }

    private mutating func endOfArchive() -> Member? {
        isAtEnd = true
        return source.isCutShort ? .problem(ArchiveError(name, .cutShort)) : nil
    }
}

extension ArchiveMembers {
    /// - Throws: What is wrong with the archive. What is wrong with the entry alone is a member.
    private mutating func member(
        _ header: ArchiveReader.Header
    ) throws(ArchiveError.Reason) -> Member? {
        let path: String?
        do throws(ArchiveError.Reason) {
            path = try self.path(of: header)
        } catch {
            try passBy()
            let shown = header.name.prefix(EntryName.lengthLimit)
            return .problem(ArchiveError(subject(String(decoding: shown, as: UTF8.self)), error))
        }
        guard let path else { return try passed() }
        if header.isEncrypted { return .problem(ArchiveError(subject(path), .encrypted)) }
        return try file(path)
    }

    /// `nil` for what is passed over.
    private func path(of header: ArchiveReader.Header) throws(ArchiveError.Reason) -> String? {
        guard header.kind == .file else { return nil }
        if isSoleFile { return "" }
        let name = try EntryName(header.name)
        return header.skipReason(name) == nil ? name.text : nil
    }

    private mutating func file(_ path: String) throws(ArchiveError.Reason) -> Member? {
        var bytes: [UInt8] = []
        do throws(ArchiveError.Reason) {
            bytes = Array(try chunk(count: ArchiveKind.startLength))
            guard isWanted(ArchiveEntry(name: path, start: bytes)) else {
                unwantedCount += 1
                return try passed()
            }
            while case let chunk = try chunk(), !chunk.isEmpty {
                guard bytes.count + chunk.count <= fileLimit
                else { throw .fileTooLarge(limit: fileLimit) }
                bytes += chunk
            }
            return .file(name: path, bytes: bytes, damage: nil)
        } catch {
            if error.endsUnpacking { throw error }
            let problem = ArchiveError(subject(path), error)
            if case .fileTooLarge = error {
                try passBy()
                return .problem(problem)
            }
            return bytes.isEmpty
                ? .problem(problem) : .file(name: path, bytes: bytes, damage: problem)
        }
    }

    private mutating func passed() throws(ArchiveError.Reason) -> Member? {
        try passBy()
        return nil
    }

    /// Goes to the end of an entry. What has to be unpacked on the way counts as unpacked.
    private mutating func passBy() throws(ArchiveError.Reason) {
        guard !reader.skipsFreely, !reader.isBroken else { return }
        while try !chunk().isEmpty {}
    }

    /// The next bytes of the entry; none at its end.
    private mutating func chunk(
        count: Int = 1 << 16
    ) throws(ArchiveError.Reason) -> ArraySlice<UInt8> {
        let count = try reader.read(into: &buffer, count: min(count, buffer.count))
        try budget.spend(bytes: count)
        return buffer.prefix(count)
    }

    private func subject(_ path: String) -> String { path.isEmpty ? name : "\(name)/\(path)" }
}
