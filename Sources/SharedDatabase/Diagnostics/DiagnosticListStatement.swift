import CallStacks
import Ingest
import PostgreSQL

/// The statement of a list of diagnostics, newest first, or oldest first for a query with
/// ``DiagnosticQuery/after``.
///
/// Entries of different lanes are not numbered in the order of their arrival, so lists are in the
/// order of arrival, and then of addresses. If the diagnostic at which a list continues has been
/// removed, all earlier ones have been removed too.
struct DiagnosticListStatement {
    private(set) var text = ""
    private(set) var parameters: [Parameter] = []

    init(_ query: DiagnosticQuery, columns: String = StoredDiagnostic.columns) {
        var conditions = ["true"]
        for (column, value) in [
            ("app", query.app), ("version", query.version), ("build", query.build),
            ("kind", query.kind?.rawValue), ("status", query.status?.rawValue),
            ("fingerprint", query.fingerprint),
        ] {
            guard let value else { continue }
            parameters.append(.value(value.asKey, .text))
            conditions.append("\(column) = $\(parameters.count)")
        }
        if let start = query.after ?? query.before {
            conditions.append(continuation(from: start, isAscending: query.after != nil))
        }
        parameters.append(.value(Int64(query.limit), .int8))
        let direction = query.after == nil ? "DESC" : "ASC"
        text = """
            SELECT \(columns) FROM diagnostic WHERE \(conditions.joined(separator: " AND "))
            ORDER BY arrival \(direction), entry \(direction), position \(direction)
            LIMIT $\(parameters.count)
            """
    }

    /// The statement that counts the rows of the list, with the same parameters.
    var countText: String { "SELECT count(*) FROM (\(text)) d" }

    private mutating func continuation(from start: RecordAddress, isAscending: Bool) -> String {
        parameters.append(.value(start.entry, .int8))
        parameters.append(.value(Int32(clamping: start.position), .int4))
        let (entry, position) = ("$\(parameters.count - 1)", "$\(parameters.count)")
        let arrival = """
            coalesce((SELECT arrival FROM diagnostic WHERE entry = \(entry)
                AND position = \(position)), \(Int64.min + 1))
            """
        return """
            (arrival, entry, position) \(isAscending ? ">" : "<") (\(arrival), \(entry), \(position))
            """
    }
}
