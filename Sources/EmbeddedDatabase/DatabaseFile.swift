import CSQLiteMemory
import GRDB
import Glibc

/// Opens, checks and migrates the file of the database.
struct DatabaseFile {
    let folder: String
    let limits: DatabaseLimits

    /// The maximum number of concurrent reads. Further ones wait.
    private static let readerCount = 4
    private static let readerCacheKibibytes = 2_048
    /// The size of the writer's page cache, which holds the ends of the tables and most of the
    /// indexes. Every write touches these.
    private static let writerCacheKibibytes = 12_288
    /// The maximum time to wait for a lock of another connection or program, such as a backup.
    static let busySeconds = 10.0

    /// Each connection takes its small blocks from its own memory. SQLite's default of some 100
    /// blocks is used up by the prepared statements, and every value of a row is then allocated.
    private static let smallBlocks: Void = {
        _ = symbolist_set_sqlite_lookaside(2_048, 512)
    }()

    func opened() throws -> DatabasePool {
        Self.smallBlocks
        let path = "\(folder)/\(EmbeddedDatabase.fileName)"
        createPrivately(path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // With NORMAL, a commit does not wait for a sync of the log: ``LogSync`` does that. Some
            // builds of SQLite overwrite removed rows with zeros, which needs as much space in the
            // log as it frees.
            try db.execute(
                sql: """
                    PRAGMA synchronous = NORMAL;
                    PRAGMA secure_delete = FAST;
                    PRAGMA journal_size_limit = \(limits.keptLogBytes);
                    """)
        }
        try migrate(pool)
        return pool
    }

    /// Creates the file so that only its owner can read it. SQLite gives the log the same
    /// permissions.
    private func createPrivately(_ path: String) {
        // A failure is reported when the database is opened.
        let file = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    private func migrate(_ pool: DatabasePool) throws {
        let migrator = Schema.migrator
        let isLater = try pool.read { db in try migrator.hasBeenSuperseded(db) }
        guard !isLater else {
            throw DatabaseProblem.refusal(
                "file in '\(folder)' was written by a later version",
                suggestion: "install that one again")
        }
        try migrator.migrate(pool)
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "symbolist.database"
        configuration.busyMode = .timeout(Self.busySeconds)
        configuration.maximumReaderCount = Self.readerCount
        configuration.prepareDatabase { db in
            let isReader = db.configuration.readonly
            let cache = isReader ? Self.readerCacheKibibytes : Self.writerCacheKibibytes
            try db.execute(sql: "PRAGMA cache_size = -\(cache); PRAGMA temp_store = MEMORY")
            if !isReader { try prepareFile(db) }
        }
        return configuration
    }

    /// Rejects the file of another program before anything is changed in it, and prepares a new
    /// one.
    ///
    /// Pages of 8 KiB have room for two compressed bodies of usual size; smaller pages would have
    /// room for one and waste the rest. These settings only take effect before the first page is
    /// written.
    private func prepareFile(_ db: Database) throws {
        let isNew = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
        let owner = try Int.fetchOne(db, sql: "PRAGMA application_id")
        if owner == Schema.applicationID { return }
        guard isNew, owner == 0 else {
            throw DatabaseProblem.refusal(
                "'\(folder)/\(EmbeddedDatabase.fileName)' belongs to another program",
                suggestion: "use another folder")
        }
        try db.execute(
            sql: """
                PRAGMA page_size = 8192;
                PRAGMA auto_vacuum = INCREMENTAL;
                PRAGMA application_id = \(Schema.applicationID);
                """)
    }
}
