import GRDB

/// Returns pages that were freed by removals to the file system.
struct FreePages {
    private let db: Database
    private let limits: DatabaseLimits

    init(_ db: Database, _ limits: DatabaseLimits) {
        self.db = db
        self.limits = limits
    }

    /// Returns some pages to the file system. This is slow, because SQLite moves pages.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    func releaseSome() throws -> Bool {
        let surplus = min(try count() - limits.keptFreePages, limits.pagesPerVacuum)
        guard surplus > 0 else { return false }
        try db.execute(sql: "PRAGMA incremental_vacuum(\(surplus))")
        return true
    }

    func byteCount() throws -> Int64 {
        Int64(try count()) * Int64(DatabaseLimits.pageBytes)
    }

    private func count() throws -> Int { try db.first("PRAGMA freelist_count")?[0] ?? 0 }
}
