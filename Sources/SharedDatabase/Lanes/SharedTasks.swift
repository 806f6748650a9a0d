public import Ingest
import PostgreSQL

/// Work that only one node of the cluster does at a time.
public struct SharedTasks: Sendable {
    private let database: SharedDatabase
    private let node: ClusterNode

    public init(of database: SharedDatabase, for node: ClusterNode) {
        self.database = database
        self.node = node
    }

    /// Acquires the lease of a task, or renews it if this node has it.
    ///
    /// - Returns: Whether this node has the lease. If not, another node has it.
    public func hold(_ name: String, for time: Duration) async throws(JournalError) -> Bool {
        try await asJournal {
            let held = try await database.write(
                """
                INSERT INTO task (name, node, until)
                VALUES ($1, $2, now() + $3 * interval '1 second')
                ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until
                WHERE task.node IS NULL OR task.node = excluded.node OR task.until < now()
                """,
                [
                    .value(name, .text), .value(node.id, .uuid),
                    .value(time / .seconds(1), .float8),
                ])
            return held.affectedRows == 1
        }
    }

    /// Acquires a task that runs once per interval.
    ///
    /// - Returns: Whether it is due. If so, it is due again after the interval.
    public func begin(_ name: String, every interval: Duration) async throws(JournalError) -> Bool {
        try await asJournal {
            let begun = try await database.write(
                """
                INSERT INTO task (name, until) VALUES ($1, now() + $2 * interval '1 second')
                ON CONFLICT (name) DO UPDATE SET until = excluded.until, done = now()
                WHERE task.until < now()
                """, [.value(name, .text), .value(interval / .seconds(1), .float8)])
            return begun.affectedRows == 1
        }
    }

    /// Removes the tasks of nodes that have not been active for a day.
    ///
    /// - Parameter prefix: The start of their names.
    public func removeExpired(under prefix: String) async throws(JournalError) {
        try await asJournal {
            try await database.write(
                "DELETE FROM task WHERE starts_with(name, $1) AND until < now() - interval '1 day'",
                [.value(prefix, .text)])
        }
    }

    /// Releases a task, and deletes its row.
    public func abandon(_ name: String) async throws(JournalError) {
        try await asJournal {
            try await database.write(
                "DELETE FROM task WHERE name = $1 AND node = $2",
                [.value(name, .text), .value(node.id, .uuid)])
        }
    }
}
