import CallStacks
import GRDB
public import Ingest

extension EmbeddedDatabase: DeliveryStatusSource {
    public func deliveryStatus() async throws(JournalError) -> DeliveryStatus {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in
                var status = DeliveryStatus()
                status.oldestArrivals = try Self.oldestArrivals(db)
                status.heldCount =
                    try db.first("SELECT count(*) FROM diagnostic WHERE state = 0")?[0] ?? 0
                let waiting = """
                    SELECT coalesce(sum(waiting), 0) FROM missing_image
                    WHERE in_app = ? AND stored = 0
                    """
                status.waitingForAppCount = try db.first(waiting, [true])?[0] ?? 0
                status.waitingForSystemCount = try db.first(waiting, [false])?[0] ?? 0
                return status
            }
        }
    }

    /// Returns the arrival of the oldest unfinished entry of each reader except the worker.
    private static func oldestArrivals(_ db: Database) throws -> [String: UnixTime] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT name, (
                    SELECT arrival FROM journal WHERE number > place ORDER BY number LIMIT 1
                ) FROM reader WHERE name <> ?
                """, arguments: [JournalReaders.worker])
        return rows.reduce(into: [:]) { arrivals, row in
            let arrival: Int64? = row[1]
            arrivals[row[0]] = arrival.map { UnixTime(rawValue: $0) }
        }
    }
}
