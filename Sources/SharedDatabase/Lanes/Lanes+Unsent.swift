public import Ingest
import PostgreSQL

extension Lanes {
    /// Drops the oldest entries in lanes without an owner that wait for a first exporter and arrived
    /// too long ago. The owner of a lane does this itself.
    ///
    /// - Parameters:
    ///   - age: The time for which they are kept.
    ///   - count: The maximum number of entries dropped per lane.
    /// - Returns: The number of dropped entries.
    public func dropUnsent(
        after age: Duration, count: Int = 5_000
    ) async throws(JournalError) -> Int64 {
        try await asJournal {
            let dropped = try await database.write(
                """
                UPDATE reader r SET place = e.number, passed = e.total FROM (
                    SELECT u.lane, u.place, old.number, old.total
                    FROM reader u JOIN lane l ON l.id = u.lane CROSS JOIN LATERAL (
                        SELECT number, total FROM entry
                        WHERE number > u.place AND number <= least(u.place + $3, l.tail)
                            AND arrival < extract(epoch FROM now() - $2 * interval '1 second') * 1000
                        ORDER BY number DESC LIMIT 1) old
                    WHERE u.name = $1 AND (l.node IS NULL OR l.until < now())
                ) e
                WHERE r.name = $1 AND r.lane = e.lane AND r.place = e.place
                RETURNING e.number - e.place
                """,
                [
                    .value(JournalReaders.unsent, .text), .value(age / .seconds(1), .float8),
                    .value(Int64(count), .int8),
                ])
            return try dropped.reduce(0) { try $0 + $1.value(0, .int8) }
        }
    }
}
