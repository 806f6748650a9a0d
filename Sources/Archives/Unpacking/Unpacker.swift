/// Unpacks one archive and the archives inside it.
struct Unpacker {
    /// An archive that has not been read yet.
    struct Pending {
        let path: String
        /// The path inside the outermost archive; empty for that archive itself.
        let name: String
        /// The number of archives around it.
        let depth: Int

        /// Returns the path of one of its entries.
        func name(of entry: String) -> String { depth == 0 ? entry : "\(name)/\(entry)" }
    }

    var result = UnpackedArchive()
    var folder: PrivateFolder
    var budget: UnpackingBudget
    var pending: [Pending]
    let limits: UnpackingLimits
    private let name: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    init(
        _ path: String, name: String, into folder: String, limits: UnpackingLimits
    ) throws(ArchiveError.Reason) {
        let source = try Self.source(path, limits: limits)
        self.name = name
        self.limits = limits
        budget = UnpackingBudget(limits, packedBytes: source.bytes.count)
        pending = [Pending(path: path, name: "", depth: 0)]
        self.folder = try PrivateFolder(folder)
    }

    consuming func run(
        keeping isWanted: (ArchiveMember) -> Bool
    ) throws(ArchiveError) -> UnpackedArchive {
        do throws(ArchiveError) {
            while let archive = pending.popLast() {
                try unpack(archive, isWanted)
                if archive.depth > 0 { folder.remove(archive.path) }
            }
            return result
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Reads one archive. The failure of a nested archive does not affect the others.
    private mutating func unpack(
        _ archive: Pending, _ isWanted: (ArchiveMember) -> Bool
    ) throws(ArchiveError) {
        let firstInside = pending.count
        do throws(ArchiveError.Reason) {
            try addEntries(of: archive, isWanted)
        } catch {
            let problem = ArchiveError(subject(archive.name), error)
            guard archive.depth > 0, !error.endsUnpacking else { throw problem }
            result.report(problem)
        }
        pending[firstInside...].reverse()
    }

    private mutating func addEntries(
        of archive: Pending, _ isWanted: (ArchiveMember) -> Bool
    ) throws(ArchiveError.Reason) {
        let source = try Self.source(archive.path, limits: limits)
        if source.isEmpty { return }
        var reader = try ArchiveReader.open(source)
        while let header = try nextHeader(&reader, in: archive) {
            if header.isEncrypted { throw .encrypted }
            try add(header, of: archive, &reader, isWanted)
        }
        if source.isTruncated, !reader.isBroken { report(.truncated, archive.name) }
    }

    /// Opens an archive. An encrypted zip archive is rejected before anything is unpacked.
    private static func source(
        _ path: String, limits: UnpackingLimits
    ) throws(ArchiveError.Reason) -> ArchiveSource {
        let source = try ArchiveSource(
            .file(try RandomAccessFile(path)), entryLimit: limits.entryCount)
        if source.hasEncryptedEntry { throw .encrypted }
        return source
    }

    /// Returns the next header; damaged headers are reported and skipped.
    private mutating func nextHeader(
        _ reader: inout ArchiveReader, in archive: Pending
    ) throws(ArchiveError.Reason) -> ArchiveReader.Header? {
        while !reader.isBroken {
            do throws(ArchiveError.Reason) {
                guard let header = try reader.nextHeader() else { return nil }
                try budget.spendEntry()
                return header
            } catch {
                if error.endsUnpacking { throw error }
                report(error, archive.name)
                try budget.spendEntry()
            }
        }
        return nil
    }

    /// Returns the next bytes of the entry; empty at its end.
    mutating func chunk(
        _ reader: inout ArchiveReader, count: Int = 1 << 18
    ) throws(ArchiveError.Reason) -> ArraySlice<UInt8> {
        let count = try reader.read(into: &buffer, count: min(count, buffer.count))
        try budget.spend(bytes: count)
        return buffer.prefix(count)
    }

    private static let endings = [".gz", ".xz", ".zst"]

    mutating func report(_ reason: ArchiveError.Reason, _ entry: String) {
        result.report(ArchiveError(subject(entry), reason))
    }

    private func subject(_ entry: String) -> String { entry.isEmpty ? name : "\(name)/\(entry)" }

    /// Returns the name of the file in a compressed file that is not an archive: the name of the
    /// compressed file without the extension of the compression.
    func singleFileName(in archive: Pending) -> String {
        let name = archive.depth == 0 ? self.name : archive.name
        let fileName = name.split(separator: "/").last ?? ""
        let ending = Self.endings.first { fileName.lowercased().hasSuffix($0) } ?? ""
        return String(ending.count < fileName.count ? fileName.dropLast(ending.count) : fileName)
    }
}
