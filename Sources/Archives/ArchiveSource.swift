/// What an archive is, and how it has to be read.
struct ArchiveSource {
    let kind: ArchiveKind
    let byteCount: Int64
    /// Whether it lacks what stands at its end.
    let isCutShort: Bool
    /// Whether it is known to have no entries.
    let isEmpty: Bool

    /// - Throws: When it is no archive, wants a password or holds too much.
    init(_ path: String, entryLimit: Int) throws(ArchiveError.Reason) {
        let file = try OpenedFile(path)
        let start = try file.bytes(at: 0, count: ArchiveKind.startLength)
        guard let kind = ArchiveKind(start: start) else { throw .notAnArchive }
        self.kind = kind
        byteCount = file.byteCount
        switch kind {
        case .zip:
            let directory = try ZipDirectory(of: file, countLimit: entryLimit)
            if directory?.hasEncryptedEntry == true { throw .encrypted }
            if let count = directory?.entryCount, count > entryLimit {
                throw .tooManyEntries(limit: entryLimit)
            }
            isCutShort = directory == nil
            isEmpty = directory?.entryCount == 0
        case .tar:
            // Two blocks of zeros end it, which libarchive does not insist on.
            let end = try file.bytes(at: max(0, file.byteCount - 512), count: 512)
            isCutShort = end.contains { $0 != 0 }
            isEmpty = false
        case .gzip, .xz, .zstd:
            isCutShort = false
            isEmpty = false
        }
    }
}
