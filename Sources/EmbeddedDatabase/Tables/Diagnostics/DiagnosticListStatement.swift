import CallStacks
import GRDB
import Ingest

/// The statement for a list of diagnostics, newest first, or oldest first for a query with
/// ``DiagnosticQuery/after``.
///
/// Lists of an app, its versions or kinds, and of a fingerprint and its versions follow an index.
/// Other filters have few distinct values, so a scan from the newest diagnostic soon finds enough
/// matches.
struct DiagnosticListStatement {
    let sql: String
    private(set) var arguments = StatementArguments()

    init(_ query: DiagnosticQuery, columns: String = "*") {
        let (comparison, direction) = query.after == nil ? ("<", "DESC") : (">", "ASC")
        let start = query.after ?? query.before
        var conditions = ["(entry, position) \(comparison) (?, ?)"]
        var arguments: StatementArguments = [start?.entry ?? .max, start?.position ?? .max]
        for (column, value) in [
            ("app", query.app), ("version", query.version), ("build", query.build),
            ("kind", query.kind?.rawValue), ("status", query.status?.rawValue),
            ("fingerprint", query.fingerprint),
        ] {
            guard let value else { continue }
            conditions.append("\(column) = ?")
            arguments += [value]
        }
        sql = """
            SELECT \(columns) FROM diagnostic WHERE \(conditions.joined(separator: " AND "))
            ORDER BY entry \(direction), position \(direction) LIMIT ?
            """
        arguments += [query.limit]
        self.arguments = arguments
    }
}
