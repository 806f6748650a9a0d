import CallStacks
import Ingest
import PostgreSQL

/// Removes the diagnostics of the oldest day, with the counts of that day and the rows of their
/// archived entries.
///
/// A day is kept while one of its diagnostics is held or being sent again, or while a reader has
/// not passed its entries. Diagnostics that are only marked to be sent again do not keep it,
/// because their marks are postponed while their entries cannot be read. Partitions and counts are
/// removed in one transaction that excludes commits, so that the counts match the stored
/// diagnostics.
struct DayRemoval {
    /// The result of a removal.
    struct Result {
        var diagnosticCount = 0
        /// The names of the objects that no row refers to any more.
        var objects: [String] = []
    }

    let pool: ConnectionPool

    /// - Parameters:
    ///   - oldest: The arrival before which diagnostics are removed, in whole days.
    ///   - bytes: The size of archived entries above which the oldest day is removed, unless it is
    ///     the newest one with archived entries.
    func removeOldest(before oldest: UnixTime, keeping bytes: Int64) async throws -> Result {
        let days = try await pool.transact(
            [try Statement(Self.oldestDay)], TransactionOptions(isReadOnly: true))
        guard let day = try days.first?.first?.optional(0, .int4) else { return Result() }
        if Int64(day) + 1 > oldest.day {
            guard try await exceeds(bytes, beyond: day) else { return Result() }
        }
        return try await pool.withTransaction { transaction in
            try await remove(day, transaction)
        }
    }

    private static let oldestDay = """
        SELECT min(substr(c.relname, 12)::int4) FROM pg_class c
        JOIN pg_inherits i ON i.inhrelid = c.oid
        WHERE i.inhparent = 'diagnostic'::regclass AND c.relname ~ '^diagnostic_[0-9]+$'
        """

    /// Whether archived entries take more than a number of bytes, and some belong to a later day.
    private func exceeds(_ bytes: Int64, beyond day: Int32) async throws -> Bool {
        guard bytes < .max else { return false }
        let sums = try await pool.transact(
            [
                try Statement(
                    "SELECT coalesce(sum(bytes), 0)::int8 > $1 AND max(day) > $2 FROM archive",
                    [.value(bytes, .int8), .value(day, .int4)])
            ], TransactionOptions(isReadOnly: true))
        return try sums.first?.first?.optional(0, .bool) ?? false
    }

    private func remove(_ day: Int32, _ transaction: Transaction) async throws -> Result {
        try await lockTables(transaction)
        guard let count = try await diagnosticCount(ofUnneeded: day, transaction)
        else { return Result() }
        for table in Schema.daily {
            try await transaction.rows("DROP TABLE IF EXISTS \(table)_\(day)")
        }
        try await removeMarks(of: day, transaction)
        try await removeCounts(of: day, transaction)
        try await removeGroupsWithoutDiagnostics(transaction)
        // Objects of earlier days are those of entries that were archived after their diagnostics
        // were removed.
        let objects = try await transaction.rows(
            "DELETE FROM archive WHERE day <= $1 RETURNING object", [.value(day, .int4)])
        return Result(
            diagnosticCount: count, objects: try objects.map { try $0.value(0, .text) })
    }

    /// Excludes commits until the end of the transaction.
    private func lockTables(_ transaction: Transaction) async throws {
        // PostgreSQL cancels an automatic vacuum after a second if another transaction waits for
        // it.
        try await transaction.rows("SET LOCAL lock_timeout = '2s'")
        for table in Schema.daily {
            try await transaction.rows("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
        }
    }

    /// Returns the number of diagnostics of a day, or `nil` if one of them is held or being sent
    /// again, or if a reader has not passed its entry.
    private func diagnosticCount(
        ofUnneeded day: Int32, _ transaction: Transaction
    ) async throws -> Int? {
        let rows = try await transaction.rows(
            """
            SELECT EXISTS (
                SELECT 1 FROM resend
                WHERE day = $1 AND (held IS NOT NULL OR taken IS NOT NULL)
            ) OR EXISTS (
                SELECT 1 FROM (
                    SELECT (entry >> 48)::int2 AS lane, max(entry) AS last FROM diagnostic
                    WHERE day = $1 GROUP BY 1
                ) d WHERE last > (SELECT min(place) FROM reader r WHERE r.lane = d.lane)
            ), (SELECT coalesce(sum(diagnostics), 0)::int8 FROM group_tally WHERE day = $1)
            """, [.value(day, .int4)])
        guard let row = rows.first, try !row.value(0, .bool) else { return nil }
        return Int(try row.value(1, .int8))
    }

    /// Removes the marks of diagnostics to be sent again.
    ///
    /// A node that is enqueuing one of them waits for the tables. That mark is not removed here:
    /// the entry that the node appends finds no diagnostic, and the mark is removed with it.
    private func removeMarks(of day: Int32, _ transaction: Transaction) async throws {
        try await transaction.rows(
            """
            DELETE FROM resend WHERE (entry, position) IN (
                SELECT entry, position FROM resend
                WHERE day = $1 AND taken IS NULL FOR UPDATE SKIP LOCKED)
            """, [.value(day, .int4)])
    }

    private func removeCounts(of day: Int32, _ transaction: Transaction) async throws {
        let number = Parameter.value(day, .int4)
        _ = try await transaction.execute([
            try Statement("DELETE FROM missing_tally WHERE day = $1", [number]),
            try Statement("DELETE FROM version_tally WHERE day = $1", [number]),
            try Statement(
                """
                WITH removed AS (
                    DELETE FROM group_tally WHERE day = $1 RETURNING "group", version, lane
                )
                INSERT INTO group_change SELECT DISTINCT "group", version, lane FROM removed
                ON CONFLICT DO NOTHING
                """, [number]),
            try Statement(
                "DELETE FROM hour_tally WHERE hour >= $1 * 24 AND hour < ($1 + 1) * 24", [number]),
        ])
    }

    private func removeGroupsWithoutDiagnostics(_ transaction: Transaction) async throws {
        _ = try await transaction.execute([
            try Statement(
                """
                DELETE FROM diagnostic_group g
                WHERE NOT EXISTS (SELECT 1 FROM group_tally t WHERE t."group" = g.id)
                """),
            try Statement(
                """
                DELETE FROM group_change c
                WHERE NOT EXISTS (SELECT 1 FROM diagnostic_group g WHERE g.id = c."group")
                """),
            try Statement(
                """
                DELETE FROM group_version v
                WHERE NOT EXISTS (SELECT 1 FROM diagnostic_group g WHERE g.id = v."group")
                """),
            try Statement(
                """
                DELETE FROM group_image i
                WHERE NOT EXISTS (SELECT 1 FROM diagnostic_group g WHERE g.id = i."group")
                """),
        ])
    }
}
