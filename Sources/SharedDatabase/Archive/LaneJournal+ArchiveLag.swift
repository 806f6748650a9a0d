public import Ingest
import PostgreSQL

extension LaneJournal {
    /// Skips the oldest delivered entries without archiving them, if the unarchived entries of all
    /// lanes take more than `limit` bytes. Each lane skips its share.
    ///
    /// - Returns: The number of skipped entries with diagnostics, or `nil` if the limit is not
    ///   exceeded.
    public func passUnarchived(
        beyond limit: Int64
    ) async throws(JournalError) -> Int64? {
        let lags = try await database.archiveLag()
        let (sum, own) = (lags.values.reduce(0, +), lags[lane] ?? 0)
        guard sum > limit, own > 0 else { return nil }
        let excess = Int64(Double(sum - limit) * Double(own) / Double(sum))
        return try await asJournal {
            try await fenced { transaction in try await pass(max(excess, 1), transaction) }
        }
    }

    private func pass(
        _ bytes: Int64, _ transaction: Transaction
    ) async throws -> Int64? {
        let rows = try await transaction.rows(
            """
            SELECT a.place, a.passed, (
                SELECT min(place) FROM reader WHERE lane = $1 AND name <> $2), (
                SELECT min(number) FROM entry WHERE number > a.place AND number <= $3)
            FROM archive_cursor a WHERE a.lane = $1 FOR UPDATE
            """,
            [
                .value(lane.rawValue, .int2), .value(JournalReaders.unsent, .text),
                .value(lane.end, .int8),
            ])
        guard let row = rows.first, let delivered = try row.optional(2, .int8),
            let first = try row.optional(3, .int8), first <= delivered
        else { return nil }
        let cursor = try LanePosition(row)
        let end = try await firstEntry(
            after: first - 1, through: delivered, withTotal: cursor.total + bytes, transaction)
        let counts = try await transaction.rows(
            "SELECT count(DISTINCT entry) FROM diagnostic WHERE entry > $1 AND entry <= $2",
            [.value(cursor.number, .int8), .value(end.number, .int8)])
        try await transaction.rows(
            "UPDATE archive_cursor SET place = $2, passed = $3 WHERE lane = $1",
            [
                .value(lane.rawValue, .int2), .value(end.number, .int8),
                .value(end.total, .int8),
            ])
        return try counts.first?.value(0, .int8) ?? 0
    }
}
