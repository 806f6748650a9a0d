/// What the database may take of its disk besides its contents. Small disks get less.
struct DatabaseBounds: Hashable, Sendable {
    static let pageBytes = 8_192

    /// The size that the file of the write-ahead log is cut back to when the log begins anew.
    let keptLogBytes: Int
    /// The size beyond which the log is emptied while readers wait.
    let largeLogBytes: Int
    /// The pages in the log after which they are copied into the database.
    let pagesPerCheckpoint: Int
    /// What is kept allocated for the time when the disk is full.
    let reserveBytes: Int64
    /// The free pages that stay in the file for what is appended next.
    let keptFreePages: Int
    /// How many pages are given back to the file system in one transaction.
    let pagesPerVacuum: Int

    /// - Parameter diskBytes: The size of the disk; `nil` if it is unknown.
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
