import CallStacks
import Decompression
import Foundation
import GRDB
import Ingest

/// The table of the merged stacks of sampled diagnostics. A revision replaces the row with one that
/// has a new id.
struct SampledStackTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// The kinds with sampled stacks, as the migrations before 21 list them.
    static let kinds = "'hang', 'cpu_exception', 'disk_write_exception', 'app_launch'"

    /// The condition of the partial index of diagnostics with sampled stacks. For a list of more
    /// than two values, SQLite would fill a temporary table with them at each insert.
    static let isSampled =
        "(kind = 'hang' OR kind = 'cpu_exception' OR kind = 'disk_write_exception' "
        + "OR kind = 'app_launch')"

    /// Stores the stacks of a diagnostic, if it has any.
    func put(_ diagnostic: DiagnosticRecord) throws {
        guard let bytes = diagnostic.sampledStacks else { return }
        let body = try PackedBody(packing: bytes)
        try remove(diagnostic.address)
        try db.run(
            """
            INSERT INTO sampled_stack (entry, position, size, form, stack) VALUES (?, ?, ?, ?, ?)
            """,
            [
                diagnostic.address.entry, diagnostic.address.position, body.size,
                body.form.rawValue, body.data,
            ])
    }

    func remove(_ address: RecordAddress) throws {
        try db.run(
            "DELETE FROM sampled_stack WHERE entry = ? AND position = ?",
            [address.entry, address.position])
    }

    func ids(_ query: FlameQuery) throws -> [Int64] {
        let list = SampledStackListStatement(query)
        return try Int64.fetchAll(
            db.cachedStatement(sql: list.sql), arguments: list.arguments + [query.limit])
    }

    func stacks(_ ids: [Int64]) throws -> [Int64: PackedBody] {
        var stacks: [Int64: PackedBody] = [:]
        for id in ids {
            let row = try db.first("SELECT form, size, stack FROM sampled_stack WHERE id = ?", [id])
            guard let row else { continue }
            stacks[id] = try PackedBody(form: row[0], size: row[1], data: row[2])
        }
        return stacks
    }

    func diagnosticCount(_ query: FlameQuery) throws -> Int {
        let row =
            switch query.subject {
            case .version(let version, let app, let kind):
                try db.first(
                    """
                    SELECT coalesce(sum(part.diagnostics), 0)
                    FROM group_version AS part CROSS JOIN diagnostic_group AS own
                        ON own.id = part."group"
                    WHERE part.app = ? AND part.version = ? AND own.kind = ?
                    """, [app, version, kind.rawValue])
            case .group(let fingerprint, let app):
                try db.first(
                    "SELECT diagnostics FROM diagnostic_group WHERE fingerprint = ? AND app = ?",
                    [fingerprint, app ?? ""])
            }
        return row?[0] ?? 0
    }
}

/// The statement of a list of stacks, newest first, without its limit.
struct SampledStackListStatement {
    let sql: String
    let arguments: StatementArguments

    init(_ query: FlameQuery) {
        let condition: String
        switch query.subject {
        case .version(let version, let app, let kind):
            // The last condition is that of the partial index.
            condition = """
                one.app = ? AND one.kind = ? AND one.version = ?
                    AND \(SampledStackTable.isSampled)
                """
            arguments = [app, kind.rawValue, version]
        case .group(let fingerprint, let app):
            condition = "one.fingerprint = ? AND one.app IS ?"
            arguments = [fingerprint, app]
        }
        sql = """
            SELECT stack.id FROM diagnostic AS one CROSS JOIN sampled_stack AS stack
                ON stack.entry = one.entry AND stack.position = one.position
            WHERE \(condition) ORDER BY one.entry DESC, one.position DESC LIMIT ?
            """
    }
}
