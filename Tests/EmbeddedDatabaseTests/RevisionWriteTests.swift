import CallStacks
import EmbeddedDatabase
import GRDB
import Ingest
import JournalSupport
import Testing

/// SQLite rewrites the rows of all indexes of a column that it updates, even if the value stays the
/// same.
@Suite("Writes of revisions")
struct RevisionWriteTests {
    /// Makes updates of a table fail.
    ///
    /// - Parameter columns: The columns whose updates fail.
    private func forbidUpdates(
        of columns: String, in table: String, _ folder: DataFolder
    ) throws {
        let queue = try DatabaseQueue(path: folder.file)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER forbidden_\(table) BEFORE UPDATE OF \(columns) ON \(table)
                    BEGIN SELECT raise(ABORT, 'updated'); END
                    """)
        }
        try queue.close()
    }

    /// Stores diagnostics, closes the database, and revises one of them.
    ///
    /// - Parameter forbid: Called while the database is closed.
    /// - Returns: The stored diagnostics, newest first.
    private func revise(
        _ revised: DiagnosticRecord, of rows: [DiagnosticRecord],
        forbid: (DataFolder) throws -> Void
    ) async throws -> [DiagnosticRecord] {
        let folder = try DataFolder()
        var database = try folder.open()
        let last = try #require(
            try await database.append(rows.map { draft(Int($0.address.entry)) }).last ?? nil)
        try await database.commit(WorkerCommit(lastNumber: last, diagnostics: rows))
        try await database.close()
        try forbid(folder)
        database = try folder.open()
        try await database.commit(WorkerCommit(lastNumber: last, revised: [revised]))
        let stored = try await database.diagnostics(DiagnosticQuery())
        try await database.close()
        return stored
    }

    private func diagnostics() -> [DiagnosticRecord] {
        [1, 2, 3].map { (number: Int64) in
            var row = diagnostic(number)
            (row.version, row.fingerprint) = ("1.0", "f")
            return row
        }
    }

    @Test("a revision within a group updates no column that it does not change")
    func unchanged() async throws {
        let rows = diagnostics()
        var revised = rows[1]
        revised.status = .partial
        revised.symbolicatedFrameCount += 1
        let stored = try await revise(revised, of: rows) { folder in
            try forbidUpdates(of: "kind, state, held_until, app, version", in: "diagnostic", folder)
            for table in ["diagnostic_group", "group_version"] {
                try forbidUpdates(of: "first_seen, last_seen", in: table, folder)
            }
        }
        #expect(stored == [rows[2], revised, rows[0]])
    }

    @Test("a group that loses its only diagnostic is removed without an update")
    func emptied() async throws {
        let row = diagnostics()[0]
        var revised = row
        revised.fingerprint = "g"
        let stored = try await revise(revised, of: [row]) { folder in
            try forbidUpdates(of: "diagnostics", in: "diagnostic_group", folder)
            try forbidUpdates(of: "diagnostics", in: "group_version", folder)
        }
        #expect(stored == [revised])
    }
}
