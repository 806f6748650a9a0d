import CallStacks
import Ingest
import PostgreSQL
import Synchronization

/// Creates the partitions of days before diagnostics are stored in them.
final class DayPartitions: Sendable {
    private let pool: ConnectionPool
    /// The days whose partitions are known to exist.
    private let known = Mutex<Set<Int32>>([])

    /// The number of days for which partitions are created in advance.
    private static let daysAhead: Int32 = 2

    init(_ pool: ConnectionPool) { self.pool = pool }

    /// The day of an arrival, counted from 1970. Times before 1970 count as day 0.
    static func day(of arrival: UnixTime) -> Int32 {
        Int32(clamping: max(arrival.day, 0))
    }

    /// Creates the missing partitions of these days and the days after them.
    func prepare(_ days: Set<Int32>) async throws {
        let missing = known.withLock { days.subtracting($0) }
        guard let last = missing.max() else { return }
        let ahead = (0...Self.daysAhead).map { last &+ $0 }.filter { $0 >= last }
        for day in missing.union(ahead).sorted() { try await make(day) }
        known.withLock { $0.formUnion(missing) }
    }

    /// Forgets the known partitions, after one was found to be missing.
    func forget() { known.withLock { $0 = [] } }

    /// Whether a statement failed because a partition is missing.
    static func isMissing(_ error: any Error) -> Bool {
        if case DatabaseError.server(let error) = error { error.sqlState == "23514" } else { false }
    }

    /// Partitions are created separately and then attached, because creating them in place would
    /// block all readers.
    private func make(_ day: Int32) async throws {
        try await pool.withTransaction { transaction in
            let found = try await transaction.rows(
                "SELECT to_regclass($1) IS NOT NULL", [.value("sampled_stack_\(day)", .text)])
            if try found.first?.value(0, .bool) == true { return }
            _ = try await transaction.execute(AdvisoryLock.dayPartitions.statement)
            // Set only after taking the lock for this work, because nodes that start together have
            // to wait for it.
            try await transaction.rows("SET LOCAL lock_timeout = '2s'")
            for table in Schema.daily {
                let name = "\(table)_\(day)"
                let found = try await transaction.rows(
                    "SELECT to_regclass($1) IS NOT NULL", [.value(name, .text)])
                if try found.first?.value(0, .bool) == true { continue }
                try await transaction.rows(
                    "CREATE TABLE \(name) (LIKE \(table) INCLUDING DEFAULTS INCLUDING STORAGE)")
                try await transaction.rows(
                    """
                    ALTER TABLE \(table) ATTACH PARTITION \(name)
                    FOR VALUES FROM (\(day)) TO (\(Int64(day) + 1))
                    """)
            }
        }
    }
}
