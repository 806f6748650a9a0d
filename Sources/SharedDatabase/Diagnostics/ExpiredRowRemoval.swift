import PostgreSQL

/// Removes rows that do not belong to a day: old payload keys, figures beyond a limit, images that
/// no diagnostic waits for, and groups without diagnostics.
///
/// One of the nodes runs it, once an hour.
struct ExpiredRowRemoval {
    let pool: ConnectionPool
    /// The time for which duplicates of a posted payload are recognised.
    var payloadKeyAge = Duration.seconds(2 * 86_400)

    /// The number of rows by app version, day and lane for which figures are kept. All names come
    /// from clients.
    static let figureLimit: Int64 = 200_000
    private static let rowsPerStep: Int64 = 5_000
    /// The maximum number of rows in a step that blocks commits.
    private static let lockedRowsPerStep: Int64 = 500

    func runIfDue() async throws {
        let taken = try await pool.transact([
            try Statement(
                """
                INSERT INTO task (name, until) VALUES ('sweep', now() + interval '1 hour')
                ON CONFLICT (name) DO UPDATE SET until = excluded.until, done = now()
                WHERE task.until < now()
                """)
        ])
        guard taken.first?.affectedRows == 1 else { return }
        try await removeKeys(from: "seen_payload", time: "seen")
        try await removeKeys(from: "claimed_key", time: "claimed")
        try await removeFigures(keeping: Self.figureLimit)
        try await removeUnwantedImages()
        try await removeEmptyGroups()
    }

    /// Removes old keys, by which duplicates of payloads are recognised.
    ///
    /// The tables are not partitioned by day, because a key has to be unique over all days.
    private func removeKeys(from table: String, time: String) async throws {
        var removed = Int(Self.rowsPerStep)
        while removed == Int(Self.rowsPerStep) {
            removed = try await write(
                """
                DELETE FROM \(table) WHERE key IN (
                    SELECT key FROM \(table)
                    WHERE \(time) < now() - $2 * interval '1 second'
                    ORDER BY \(time) LIMIT $1 FOR UPDATE SKIP LOCKED)
                """,
                [
                    .value(Self.rowsPerStep, .int8), .value(payloadKeyAge / .seconds(1), .float8),
                ])
        }
    }

    /// Removes the figures of the oldest days beyond a number of rows.
    func removeFigures(keeping limit: Int64) async throws {
        _ = try await write(
            """
            WITH old AS (
                SELECT app, version, day, lane FROM version_day
                ORDER BY day, app, version, lane
                LIMIT greatest((SELECT count(*) FROM version_day) - $1, 0)
                FOR UPDATE SKIP LOCKED
            ), figures AS (
                DELETE FROM version_figure f USING old
                WHERE f.app = old.app AND f.version = old.version AND f.day = old.day
                    AND f.lane = old.lane
            )
            DELETE FROM version_day d USING old
            WHERE d.app = old.app AND d.version = old.version AND d.day = old.day
                AND d.lane = old.lane
            """, [.value(limit, .int8)])
    }

    /// Rows that are removed together with those of other tables that refer to them.
    private struct Target {
        let table: String
        /// The condition of `one` for rows that may be unused.
        let candidate: String
        /// The condition of `one` for rows that are unused, evaluated while commits are blocked.
        let condition: String
        let referring: [String]
        /// The column of the referring tables.
        let column: String
    }

    private static let images = Target(
        table: "missing_image", candidate: isUnwanted, condition: isUnwanted,
        referring: ["missing_tally", "missing_system", "image_version", "awakening"],
        column: "image")

    private static let isUnwanted = """
        NOT EXISTS (
            SELECT 1 FROM missing_tally t WHERE t.image = one.id HAVING sum(waiting) > 0)
        """

    private static let groups = Target(
        table: "diagnostic_group",
        candidate: """
            diagnostics = 0 AND NOT EXISTS (
                SELECT 1 FROM group_change c WHERE c."group" = one.id)
            """,
        condition: """
            NOT EXISTS (
                SELECT 1 FROM group_tally t WHERE t."group" = one.id
                GROUP BY version, day HAVING sum(diagnostics) <> 0)
            """,
        referring: ["group_version", "group_tally", "group_change", "group_image"],
        column: "\"group\"")

    /// Removes the images that no diagnostic waits for, with their counts. Commits check that the
    /// images they refer to still exist.
    func removeUnwantedImages() async throws { try await remove(Self.images) }

    /// Removes groups that are empty because revisions moved all their diagnostics to other groups,
    /// with their counts.
    func removeEmptyGroups() async throws { try await remove(Self.groups) }

    /// Removes rows in steps, until no more unused rows are found.
    private func remove(_ target: Target) async throws {
        var removed = Int(Self.lockedRowsPerStep)
        while removed == Int(Self.lockedRowsPerStep) {
            let found = try await pool.transact(
                [
                    try Statement(
                        """
                        SELECT id FROM \(target.table) one WHERE \(target.candidate)
                        ORDER BY id LIMIT $1
                        """, [.value(Self.lockedRowsPerStep, .int8)])
                ], TransactionOptions(isReadOnly: true))
            let ids = try found.first?.map { try $0.value(0, .int8) } ?? []
            guard !ids.isEmpty else { return }
            removed = try await pool.withTransaction { try await remove(ids, of: target, $0) }
        }
    }

    /// - Returns: The number of removed rows.
    private func remove(
        _ ids: [Int64], of target: Target, _ transaction: Transaction
    ) async throws -> Int {
        try await SymbolChangeTable(transaction).lock()
        let rows = try await transaction.rows(
            """
            DELETE FROM \(target.table) WHERE id IN (
                SELECT id FROM \(target.table) one WHERE id = ANY ($1) AND \(target.condition)
                ORDER BY id FOR UPDATE SKIP LOCKED)
            RETURNING id
            """, [.value(ids, .array(of: .int8))])
        let removed = Parameter.value(try rows.map { try $0.value(0, .int8) }, .array(of: .int8))
        _ = try await transaction.execute(
            try target.referring.map { table in
                try Statement(
                    "DELETE FROM \(table) WHERE \(target.column) = ANY ($1)", [removed])
            })
        return rows.count
    }

    /// - Returns: The number of changed rows.
    private func write(_ text: String, _ parameters: [Parameter]) async throws -> Int {
        try await pool.transact([try Statement(text, parameters)]).first?.affectedRows ?? 0
    }
}
