public import Ingest
import PostgreSQL

/// Creates and removes the partitions of the table of entries. One node at a time does this, see
/// ``SharedTasks``.
///
/// A partition has the entries of some minutes in all lanes. It is removed as a whole, without
/// reading entries, and leaves nothing to vacuum. Lanes append to the partition that was current at
/// their last renewal. The next partition always exists.
public struct EntryPartitions: Sendable {
    let database: SharedDatabase
    let limits: PartitionLimits

    /// The name of the task that does this.
    public static let task = "buckets"

    public init(of database: SharedDatabase, limits: PartitionLimits = PartitionLimits()) {
        self.database = database
        self.limits = limits
    }

    /// Begins the next partition if the current one is old or large, and creates the one after it.
    ///
    /// - Returns: Whether a partition began.
    public func advance() async throws(JournalError) -> Bool {
        try await asJournal {
            try await prepareNext()
            guard try await raise() else { return false }
            try await prepareNext()
            return true
        }
    }

    /// Creates the partition after the current one, unless it exists.
    private func prepareNext() async throws {
        try await database.pool.withTransaction { transaction in
            let current = try await transaction.execute(
                try Statement(
                    """
                    SELECT bucket + 1, to_regclass('entry_'
                        || (bucket + 1)) IS NOT NULL FROM cluster
                    """))
            guard let row = current.first, try !row.value(1, .bool) else { return }
            let statements = Schema.partition(try row.value(0, .int4))
            _ = try await transaction.execute(
                try (["SET LOCAL lock_timeout = '2s'"] + statements).map { try Statement($0) })
        }
    }

    private func raise() async throws -> Bool {
        try await database.write(
            """
            UPDATE cluster SET bucket = bucket + 1, bucket_start = now()
            WHERE bucket_start <= now() - $1 * interval '1 second'
            OR pg_total_relation_size('entry_' || bucket) >= $2
            """, [.value(limits.age / .seconds(1), .float8), .value(limits.bytes, .int8)]
        ).affectedRows == 1
    }

    /// The stored partitions, oldest first.
    func stored() async throws -> [StoredPartition] {
        let rows = try await database.read(
            """
            SELECT substr(c.relname, 7)::int4, CASE
                WHEN i.inhrelid IS NULL THEN 'detached'
                WHEN i.inhdetachpending THEN 'detaching' ELSE 'attached' END
            FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
            WHERE c.relname ~ '^entry_[0-9]+$' AND c.relkind = 'r'
            AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'entry'::regclass)
            ORDER BY 1
            """)
        return try rows.map { row in
            StoredPartition(
                number: try row.value(0, .int4),
                state: StoredPartition.State(rawValue: try row.value(1, .text)) ?? .attached)
        }
    }
}

/// A partition as found in the database.
struct StoredPartition: Hashable, Sendable {
    enum State: String, Sendable {
        case attached
        /// Its removal was interrupted before it was finished.
        case detaching
        /// Its removal was interrupted before the table was dropped.
        case detached
    }

    let number: Int32
    let state: State

    /// The name of its table.
    var table: String { Schema.partitionName(number) }
}
