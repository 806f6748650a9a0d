import CallStacks
import GRDB

/// The table of the numbers of diagnostics by hour of arrival, app and status.
struct HourTable {
    let db: Database

    /// The number of milliseconds in an hour.
    static let milliseconds: Int64 = 3_600_000

    init(_ db: Database) { self.db = db }

    func apply(_ counts: GroupCounts) throws {
        for (hour, count) in counts.hours where count != 0 {
            try db.run(
                """
                INSERT INTO diagnostic_hour VALUES (?, ?, ?, ?)
                ON CONFLICT (hour, app, status) DO UPDATE SET
                    diagnostics = diagnostics + excluded.diagnostics
                """, [hour.number, hour.app, hour.status, count])
            guard count < 0 else { continue }
            try db.run(
                """
                DELETE FROM diagnostic_hour
                WHERE hour = ? AND app = ? AND status = ? AND diagnostics <= 0
                """, [hour.number, hour.app, hour.status])
        }
    }

    static let countStatement = """
        SELECT status, sum(diagnostics) FROM diagnostic_hour
        WHERE hour >= ?1 AND (?2 IS NULL OR app = ?2) GROUP BY status
        """

    /// Returns the numbers of diagnostics since the start of the hour that contains a time.
    func counts(
        since time: UnixTime, app: String?
    ) throws -> [SymbolicatedDiagnostic.Status: Int] {
        let rows = try db.all(Self.countStatement, [time.rawValue / Self.milliseconds, app])
        return rows.reduce(into: [:]) { counts, row in
            if let status = SymbolicatedDiagnostic.Status(rawValue: row[0]) {
                counts[status] = row[1]
            }
        }
    }
}
