import GRDB

/// Gives pages that removals left over back to the file system.
struct FreePages {
    private let db: Database

    /// As many stay for what is appended next, which would only have to take them again: 16 MiB.
    static let keptCount = 2_048
    /// Each page may have to be moved, so one call gives back no more than 8 MiB.
    private static let stepLimit = 1_024

    init(_ db: Database) { self.db = db }

    func giveBack() throws {
        let count: Int = try db.first("PRAGMA freelist_count")?[0] ?? 0
        let surplus = min(count - Self.keptCount, Self.stepLimit)
        if surplus > 0 { try db.execute(sql: "PRAGMA incremental_vacuum(\(surplus))") }
    }
}
