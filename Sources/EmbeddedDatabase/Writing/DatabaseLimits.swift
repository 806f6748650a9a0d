/// The limits on the disk space that the database uses in addition to its contents. They are
/// smaller on a small disk.
struct DatabaseLimits: Hashable, Sendable {
    static let pageBytes = 8_192

    /// The size to which the write-ahead log is truncated when it restarts.
    let keptLogBytes: Int
    /// The size above which the log is emptied while readers wait.
    let largeLogBytes: Int
    /// The number of pages in the log at which copying them into the database begins.
    let pagesPerCheckpoint: Int
    /// The size of the reserve for a full disk.
    let reserveBytes: Int64
    /// The number of free pages that stay in the file for later appends.
    let keptFreePages: Int
    /// The number of pages returned to the file system in one transaction.
    let pagesPerVacuum: Int

    /// - Parameter diskBytes: The size of the disk, or `nil` if it is unknown.
    init(diskBytes: Int64?) {
        let disk = Int(clamping: diskBytes ?? .max)
        keptLogBytes = min(64 << 20, disk / 64)
        largeLogBytes = min(192 << 20, disk / 32)
        pagesPerCheckpoint = max(keptLogBytes / 2 / Self.pageBytes, 1)
        reserveBytes = Int64(keptLogBytes)
        keptFreePages = pagesPerCheckpoint / 2
        pagesPerVacuum = max(pagesPerCheckpoint / 4, 1)
    }
}
