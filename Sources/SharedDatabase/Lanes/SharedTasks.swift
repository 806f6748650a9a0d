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

    /// Takes on a task for some time, or extends the time of one that this node has taken on.
    ///
    /// - Returns: Whether the node has the task. If not, another one does it.
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

    /// Records that a task is done, and gives it up.
    public func finish(_ name: String) async throws(JournalError) {
        try await asJournal {
            try await database.write(
                """
                UPDATE task SET node = NULL, until = now(), done = now()
                WHERE name = $1 AND node = $2
                """, [.value(name, .text), .value(node.id, .uuid)])
        }
    }
}
