/// What an archive is, and how it has to be read.
struct ArchiveSource {
    let bytes: ArchiveBytes
    let kind: ArchiveKind
    /// Whether it lacks what stands at its end.
    let isCutShort: Bool
    /// Whether it is known to have no entries.
    let isEmpty: Bool
    /// Whether it says before it is unpacked that some of it wants a password.
    let hasEncryptedEntry: Bool

    /// - Throws: When it is no archive, or holds too much.
    init(_ bytes: ArchiveBytes, entryLimit: Int) throws(ArchiveError.Reason) {
        let start = try bytes.read(at: 0, count: ArchiveKind.startLength)
        guard let kind = ArchiveKind(start: start) else { throw .notAnArchive }
        self.kind = kind
        self.bytes = bytes
        switch kind {
        case .zip:
            let directory = try ZipDirectory(of: bytes, countLimit: entryLimit)
            if let count = directory?.entryCount, count > entryLimit {
                throw .tooManyEntries(limit: entryLimit)
            }
            isCutShort = directory == nil
            isEmpty = directory?.entryCount == 0
            hasEncryptedEntry = directory?.hasEncryptedEntry == true
        case .tar:
            // Two blocks of zeros end it, which libarchive does not insist on.
            let end = try bytes.read(at: max(0, bytes.count - 512), count: 512)
            isCutShort = end.contains { $0 != 0 }
            isEmpty = false
            hasEncryptedEntry = false
        case .gzip, .xz, .zstd:
            isCutShort = false
            isEmpty = false
            hasEncryptedEntry = false
        }
    }
}
