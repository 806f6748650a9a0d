public import Ingest
import PostgreSQL

extension EntryPartitions {
    /// Removes the oldest partition if every reader has passed its entries and no lane can still
    /// append to it, or finishes an interrupted removal. Partitions with entries of an unfinished
    /// import are skipped.
    ///
    /// The entries are checked again after the partition is detached, when no other transaction can
    /// change it.
    public func removeOldest() async throws(JournalError) -> PartitionRemoval {
        try await asJournal {
            let stored = try await stored()
            if let rest = stored.first(where: { $0.state != .attached }) {
                return try await finish(rest)
            }
            guard let oldest = try await oldestWithoutImport(stored), try await isRemovable(oldest)
            else { return .nothing }
            let statement = "ALTER TABLE entry DETACH PARTITION \(oldest.table) CONCURRENTLY"
            guard try await detach(statement) else { return try await blocked(oldest) }
            return try await drop(oldest)
        }
    }

    /// Returns the oldest partition without entries of an unfinished import. An import keeps its
    /// entries until it is finished, and must not hold up other partitions.
    private func oldestWithoutImport(
        _ partitions: [StoredPartition]
    ) async throws -> StoredPartition? {
        for partition in partitions {
            let imported = try await database.read(
                """
                SELECT 1 FROM lane l, LATERAL (
                    SELECT number FROM \(partition.table)
                    WHERE number > l.id::int8 << 48 AND number < (l.id + 1)::int8 << 48
                    ORDER BY number LIMIT 1) own
                WHERE l.until = 'infinity' LIMIT 1
                """)
            if imported.count == 0 { return partition }
        }
        return nil
    }

    private func finish(_ partition: StoredPartition) async throws -> PartitionRemoval {
        if partition.state == .detaching {
            let statement = "ALTER TABLE entry DETACH PARTITION \(partition.table) FINALIZE"
            guard try await detach(statement) else { return try await blocked(partition) }
        }
        return try await drop(partition)
    }

    /// Whether the partition is older than the current one, no lane appends to it, and all readers
    /// have passed it.
    ///
    /// Claims and renewals lock the row of `cluster`, so none of them can move a lane back to the
    /// partition once this function has locked it. A lane whose lease has expired is taken from its
    /// owner. The owner may still be appending, but an append locks the same row. So after this, no
    /// running transaction can add to the partition, and all earlier additions are visible.
    ///
    /// A node that was paused in a transaction holds a lock on the row of its lane. Waiting for it
    /// would block the renewals of all nodes, so the partition is kept for now.
    private func isRemovable(_ partition: StoredPartition) async throws -> Bool {
        do {
            return try await database.pool.withTransaction(TransactionOptions(retries: 0)) {
                try await isRemovable(partition, $0)
            }
        } catch DatabaseError.server(let error) where error.sqlState == Self.lockNotAvailable {
            return false
        }
    }

    private func isRemovable(
        _ partition: StoredPartition, _ transaction: Transaction
    ) async throws -> Bool {
        let number = Parameter.value(partition.number, .int4)
        let current = try await transaction.execute([
            try Statement("SET LOCAL lock_timeout = '500ms'"),
            try Statement("SELECT bucket > $1 FROM cluster FOR UPDATE", [number]),
        ])
        guard try current.last?.first?.value(0, .bool) == true else { return false }
        let results = try await transaction.execute([
            try Statement(
                """
                UPDATE lane SET epoch = epoch + 1, node = NULL
                WHERE node IS NOT NULL AND until < now() AND bucket <= $1
                """, [number]),
            // An import that was interrupted does not renew its lease.
            try Statement(
                """
                UPDATE lane SET bucket = (SELECT bucket FROM cluster)
                WHERE until = 'infinity' AND bucket <= $1
                """, [number]),
            try Statement(
                "SELECT count(*) FROM lane WHERE node IS NOT NULL AND bucket <= $1", [number]),
            try unfinished(partition),
        ])
        return try results.suffix(2).allSatisfy { try $0.first?.value(0, .int8) == 0 }
    }

    /// Counts the lanes with entries in the partition that are needed: some reader has not passed
    /// them, they are held or being sent again, or stored diagnostics refer to them and they are
    /// not archived.
    ///
    /// While a node runs that does not support archived entries, those of stored diagnostics are
    /// always needed.
    ///
    /// The entries of a lane in a partition have consecutive numbers. So one index lookup per lane
    /// and day of diagnostics suffices. The `ORDER BY` keeps the planner from scanning whole days.
    static func unfinishedText(_ table: String) -> String {
        """
        SELECT count(*) FROM lane l, LATERAL (
            SELECT min(number) AS first, max(number) AS last FROM \(table)
            WHERE number > l.id::int8 << 48 AND number < (l.id + 1)::int8 << 48
        ) own, LATERAL (
            SELECT max(place) AS last FROM archive_cursor WHERE lane = l.id AND NOT EXISTS (
                SELECT 1 FROM node WHERE schema < \(Schema.archiveVersion)
                    AND seen > now() - interval '10 minutes')
        ) archived
        WHERE own.last > (SELECT coalesce(min(place), 0) FROM reader WHERE lane = l.id)
            OR EXISTS (
                SELECT 1 FROM resend r WHERE r.entry BETWEEN own.first AND own.last
                    AND (r.held IS NOT NULL OR r.taken IS NOT NULL))
            OR (
                SELECT entry FROM diagnostic d
                WHERE d.entry BETWEEN greatest(own.first, archived.last + 1) AND own.last
                ORDER BY entry LIMIT 1) IS NOT NULL
        """
    }

    private func unfinished(_ partition: StoredPartition) throws -> Statement {
        try Statement(Self.unfinishedText(partition.table))
    }

    /// - Returns: Whether the partition is detached. If not, older transactions are blocking it.
    private func detach(_ statement: String) async throws -> Bool {
        do {
            _ = try await database.pool.executeAlone(
                try Statement(statement), timeLimit: limits.detachment)
            return true
        } catch DatabaseError.timedOut {
            return false
        } catch DatabaseError.server(let error) where error.sqlState == Self.undefinedTable {
            // An earlier attempt that exceeded its time limit succeeded after the state was read.
            return true
        }
    }

    /// The SQLSTATE of a lock that was not free within `lock_timeout`.
    private static var lockNotAvailable: String { "55P03" }

    /// The SQLSTATE of a partition that does not belong to the table.
    private static var undefinedTable: String { "42P01" }

    private func drop(_ partition: StoredPartition) async throws -> PartitionRemoval {
        try await database.pool.withTransaction { transaction in
            let unfinished = try await transaction.execute(try unfinished(partition))
            let isFinished = try unfinished.first?.value(0, .int8) == 0
            let attachment =
                "ATTACH PARTITION \(partition.table) FOR VALUES IN (\(partition.number))"
            _ = try await transaction.execute([
                try Statement("SET LOCAL lock_timeout = '2s'"),
                try Statement(
                    isFinished
                        ? "DROP TABLE \(partition.table)" : "ALTER TABLE entry \(attachment)"),
            ])
            return isFinished ? .removed(partition.number) : .kept(partition.number)
        }
    }

    private func blocked(_ partition: StoredPartition) async throws -> PartitionRemoval {
        let rows = try await database.read(
            """
            SELECT pid, application_name, extract(epoch FROM now() - xact_start)::int8
            FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
            AND datname = current_database() AND xact_start IS NOT NULL
            ORDER BY xact_start LIMIT 5
            """)
        return .blocked(
            partition.number,
            by: try rows.map { row in
                SnapshotHolder(
                    process: try row.value(0, .int4), application: try row.value(1, .text),
                    seconds: try row.value(2, .int8))
            })
    }
}
