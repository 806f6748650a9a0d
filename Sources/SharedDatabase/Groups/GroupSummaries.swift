import PostgreSQL

/// Updates the sums of groups and their versions, from counts by lane and day.
///
/// Each node counts in its own rows and records which versions it changed, so that commits of
/// several nodes do not wait for each other. Lists are ordered by sums. A read first updates a
/// limited number of outdated sums, and leaves the rest to the next read.
struct GroupSummaries {
    let pool: ConnectionPool

    /// The number of changes that a step applies. A commit that records one of them again waits for
    /// the step.
    private static let changesPerStep = 200
    /// The number of steps for which a read waits.
    static let stepsPerRead = 20

    /// - Parameter stepCount: The maximum number of steps.
    func update(stepCount: Int = stepsPerRead) async throws {
        let found = try await pool.transact(
            [try Statement("SELECT EXISTS (SELECT 1 FROM group_change)")],
            TransactionOptions(isReadOnly: true))
        guard try found.first?.first?.value(0, .bool) == true else { return }
        for _ in 0..<stepCount {
            let count = try await pool.withTransaction { try await step($0) }
            if count < Self.changesPerStep { return }
        }
    }

    /// - Returns: The number of applied changes.
    private func step(_ transaction: Transaction) async throws -> Int {
        // Prevents the removal of days, and allows only one step at a time to write sums.
        try await transaction.rows("LOCK TABLE ONLY diagnostic IN ACCESS SHARE MODE")
        _ = try await transaction.execute(AdvisoryLock.groupSums.statement)
        // Changes that a running commit has locked remain recorded. Later statements see all
        // others.
        let changes = try await transaction.rows(
            Self.takingText, [.value(Int64(Self.changesPerStep), .int8)])
        guard changes.count > 0 else { return 0 }
        let groups = try changes.map { try $0.value(0, .int8) }
        let parameters: [Parameter] = [
            .value(groups, .array(of: .int8)),
            .value(try changes.map { try $0.value(1, .text) }, .array(of: .text)),
        ]
        let ids = [Parameter.value(Set(groups).sorted(), .array(of: .int8))]
        _ = try await transaction.execute([
            try Statement(Self.removalText, parameters),
            try Statement(Self.versionText, parameters),
            try Statement(Self.groupText, ids),
            try Statement(Self.emptyText, ids),
        ])
        return changes.count
    }

    static let takingText = """
        DELETE FROM group_change c USING (
            SELECT "group", version, lane FROM group_change LIMIT $1 FOR UPDATE SKIP LOCKED
        ) taken WHERE c."group" = taken."group" AND c.version = taken.version
            AND c.lane = taken.lane
        RETURNING c."group", c.version
        """

    static let removalText = """
        DELETE FROM group_version v USING unnest($1::int8[], $2::text[]) AS changed ("group", version)
        WHERE v."group" = ANY ($1) AND v."group" = changed."group" AND v.version = changed.version
        """

    /// Inserts the sums of versions, with the times of their oldest and newest diagnostics.
    static let versionText = """
        WITH changed AS (
            SELECT DISTINCT "group", version
            FROM unnest($1::int8[], $2::text[]) AS changed ("group", version)
        ), daily AS (
            SELECT t."group", t.version, day, sum(diagnostics) AS diagnostics,
                sum(unreadable) AS unreadable, sum(frames) AS frames,
                sum(symbolicated) AS symbolicated
            FROM changed JOIN group_tally t
                ON t."group" = changed."group" AND t.version = changed.version
            WHERE t."group" = ANY ($1)
            GROUP BY t."group", t.version, day HAVING sum(diagnostics) > 0
        ), total AS (
            SELECT "group", version, sum(diagnostics)::int8 AS diagnostics,
                sum(unreadable)::int8 AS unreadable, sum(frames)::int8 AS frames,
                sum(symbolicated)::int8 AS symbolicated, min(day) AS first_day,
                max(day) AS last_day
            FROM daily GROUP BY "group", version
        )
        INSERT INTO group_version (
            "group", version, app, diagnostics, unreadable, frames, symbolicated, first_seen,
            last_seen, newest_day, newest_entry, newest_position)
        SELECT own.id, total.version, own.app, total.diagnostics, total.unreadable, total.frames,
            total.symbolicated, oldest.arrival, newest.arrival, total.last_day, newest.entry,
            newest.position
        FROM total JOIN diagnostic_group own ON own.id = total."group"
        CROSS JOIN LATERAL (\(diagnostic(onDay: "first_day", order: "ASC"))) AS oldest
        CROSS JOIN LATERAL (\(diagnostic(onDay: "last_day", order: "DESC"))) AS newest
        WHERE own.id = ANY ($1)
        """

    private static func diagnostic(onDay day: String, order: String) -> String {
        """
        SELECT arrival, entry, position FROM diagnostic one
        WHERE one.day = total.\(day) AND one.fingerprint = own.fingerprint
            AND coalesce(one.app, '') = own.app AND coalesce(one.version, '') = total.version
        ORDER BY arrival \(order), entry \(order), position \(order) LIMIT 1
        """
    }

    /// Sums the versions of groups, and copies what lists show of the newest diagnostic.
    static let groupText = """
        UPDATE diagnostic_group own SET kind = one.kind, culprit = one.culprit,
            exception_name = one.exception_name, exception_message = one.exception_message,
            diagnostics = total.diagnostics, unreadable = total.unreadable,
            first_seen = total.first_seen, last_seen = newest.last_seen,
            newest_entry = newest.newest_entry, newest_position = newest.newest_position
        FROM (
            SELECT "group", sum(diagnostics)::int8 AS diagnostics,
                sum(unreadable)::int8 AS unreadable, min(first_seen) AS first_seen
            FROM group_version WHERE "group" = ANY ($1) GROUP BY "group"
        ) AS total
        CROSS JOIN LATERAL (
            SELECT last_seen, newest_day, newest_entry, newest_position FROM group_version v
            WHERE v."group" = total."group"
            ORDER BY last_seen DESC, newest_entry DESC, newest_position DESC LIMIT 1
        ) AS newest
        JOIN diagnostic one ON one.entry = newest.newest_entry
            AND one.position = newest.newest_position AND one.day = newest.newest_day
        WHERE own.id = total."group" AND own.id = ANY ($1)
        """

    /// Empty groups are kept, because a commit may be adding diagnostics.
    static let emptyText = """
        UPDATE diagnostic_group own SET diagnostics = 0, unreadable = 0
        WHERE id = ANY ($1) AND NOT EXISTS (
            SELECT 1 FROM group_version v WHERE v."group" = own.id)
        """
}
