import CallStacks
import Ingest
import PostgreSQL
import Synchronization

/// Makes the partitions of days before diagnostics are stored in them.
final class DayPartitions: Sendable {
    private let pool: ConnectionPool
    /// The days whose partitions were found or made here.
    private let known = Mutex<Set<Int32>>([])

    /// The number of days that are made in advance.
    private static let daysAhead: Int32 = 2
    private static let lockNumber: Int64 = 5_379_627

    init(_ pool: ConnectionPool) { self.pool = pool }

    /// The day of an arrival, counted from 1970. Times before 1970 count as day 0.
    static func day(of arrival: UnixTime) -> Int32 {
        Int32(clamping: max(arrival.day, 0))
    }

    /// Makes the partitions of some days that do not exist, and the days after them.
    func prepare(_ days: Set<Int32>) async throws {
        let missing = known.withLock { days.subtracting($0) }
        guard let last = missing.max() else { return }
        let ahead = (0...Self.daysAhead).map { last &+ $0 }.filter { $0 >= last }
        for day in missing.union(ahead).sorted() { try await make(day) }
        known.withLock { $0.formUnion(missing) }
    }

    /// Forgets which partitions exist, after one was found missing.
    func forget() { known.withLock { $0 = [] } }

    /// Whether a statement failed because a partition is missing.
    static func isMissing(_ error: any Error) -> Bool {
        if case DatabaseError.server(let error) = error { error.sqlState == "23514" } else { false }
    }

    /// Partitions are attached, because creating them in place would block all readers meanwhile.
    private func make(_ day: Int32) async throws {
        try await pool.withTransaction { transaction in
            let found = try await transaction.rows(
                "SELECT to_regclass($1) IS NOT NULL", [.value("sampled_stack_\(day)", .text)])
            if try found.first?.value(0, .bool) == true { return }
            try await transaction.rows(
                "SELECT pg_advisory_xact_lock($1)", [.value(Self.lockNumber, .int8)])
            // Only after the lock of its own, for which nodes that start together wait.
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
