import GRDB

/// Gives pages that removals left over back to the file system.
struct FreePages {
    private let db: Database
    private let bounds: DatabaseBounds

    init(_ db: Database, _ bounds: DatabaseBounds) {
        self.db = db
        self.bounds = bounds
    }

    /// Each page may have to be moved, so one call gives back no more than a part.
    ///
    /// - Returns: Whether there were any to give back.
    @discardableResult
    func giveBack() throws -> Bool {
        let surplus = min(try count() - bounds.keptFreePages, bounds.pagesPerVacuum)
        guard surplus > 0 else { return false }
        try db.execute(sql: "PRAGMA incremental_vacuum(\(surplus))")
        return true
    }

    func byteCount() throws -> Int64 {
        Int64(try count()) * Int64(DatabaseBounds.pageBytes)
    }

    private func count() throws -> Int { try db.first("PRAGMA freelist_count")?[0] ?? 0 }
}
