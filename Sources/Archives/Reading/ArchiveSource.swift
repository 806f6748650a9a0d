/// The bytes of an archive, with the properties that determine how to read it.
struct ArchiveSource: Sendable {
    let bytes: ArchiveBytes
    let kind: ArchiveKind
    /// Whether the end of the archive is missing.
    let isTruncated: Bool
    /// Whether it is known to have no entries.
    let isEmpty: Bool
    /// Whether an entry is known to be encrypted before anything is unpacked.
    let hasEncryptedEntry: Bool

    /// - Throws: ``ArchiveError/Reason`` if it is not an archive, or has too many entries.
    init(_ bytes: ArchiveBytes, entryLimit: Int) throws(ArchiveError.Reason) {
        let start = try bytes.read(at: 0, count: ArchiveKind.startLength)
        guard let kind = try ArchiveKind(start: start, of: bytes) else { throw .notAnArchive }
        self.kind = kind
        self.bytes = bytes
        switch kind {
        case .zip:
            let directory = try ZipDirectory(of: bytes, countLimit: entryLimit)
            if let count = directory?.entryCount, count > entryLimit {
                throw .tooManyEntries(limit: entryLimit)
            }
            isTruncated = directory == nil
            isEmpty = directory?.entryCount == 0
            hasEncryptedEntry = directory?.hasEncryptedEntry == true
        case .tar:
            // A tar archive ends with two blocks of zeros, which libarchive does not check.
            let end = try bytes.read(at: max(0, bytes.count - 512), count: 512)
            isTruncated = end.contains { $0 != 0 }
            isEmpty = start.allSatisfy { $0 == 0 }
            hasEncryptedEntry = false
        case .gzip, .xz, .zstd:
            isTruncated = false
            isEmpty = false
            hasEncryptedEntry = false
        }
    }
}
