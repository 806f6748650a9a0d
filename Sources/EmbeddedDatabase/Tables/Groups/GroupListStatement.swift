import CallStacks
import GRDB
import Ingest

/// The statement of a list of groups, for whose order there is an index: see ``Schema/groupIndexes``.
/// Its rows are in descending order, and in ascending order for a query with ``GroupQuery/after``.
///
/// A text search scans all groups in the order of the table, unless the query names an app or a
/// kind: finding each group through an index would take several times as long.
struct GroupListStatement {
    private(set) var sql: String
    private(set) var arguments = StatementArguments()
    private var conditions: [String] = []

    init(_ query: GroupQuery) {
        sql = ""
        let column = query.order.column
        if let version = query.version {
            // Times and counts of the version.
            add("part.app = ?", query.app ?? "")
            add("part.version = ?", version)
        } else {
            add("own.app = ?", query.app)
        }
        add("own.kind = ?", query.kind?.rawValue)
        let (table, id) = query.version == nil ? ("own", "own.id") : ("part", "part.\"group\"")
        let (comparison, direction) = query.after == nil ? ("<", "DESC") : (">", "ASC")
        conditions.append("(\(table).\(column), \(id)) \(comparison) (?, ?)")
        let start = query.after ?? query.before ?? GroupQuery.Position(key: .max, id: .max)
        arguments += [start.key, start.id]
        addReadability(query.readability)
        addText(query.text)
        let source =
            if query.version != nil {
                "group_version AS part CROSS JOIN diagnostic_group AS own ON own.id = part.\"group\""
            } else if query.text != nil, query.app == nil, query.kind == nil {
                "diagnostic_group AS own NOT INDEXED"
            } else {
                "diagnostic_group AS own INDEXED BY diagnostic_group_\(query.order.rawValue)"
            }
        sql = """
            SELECT own.*, \(table).diagnostics AS shown, \(table).first_seen AS shown_first,
                \(table).last_seen AS shown_last
            FROM \(source) WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(table).\(column) \(direction), \(id) \(direction) LIMIT ?
            """
        arguments += [query.limit]
    }

    private mutating func add(_ condition: String, _ value: String?) {
        guard let value else { return }
        conditions.append(condition)
        arguments += [value]
    }

    private mutating func addReadability(_ readability: GroupQuery.Readability?) {
        switch readability {
        case nil: break
        case .raw: conditions.append("own.unreadable >= own.diagnostics")
        case .readable: conditions.append("own.unreadable < own.diagnostics")
        }
    }

    private mutating func addText(_ text: String?) {
        guard let text else { return }
        let pattern = "%" + text.map { "\\%_".contains($0) ? "\\\($0)" : String($0) }.joined() + "%"
        let columns = ["culprit", "exception_name", "exception_message"]
        let matches = columns.map { "own.\($0) LIKE ? ESCAPE '\\'" }.joined(separator: " OR ")
        conditions.append("(\(matches))")
        arguments += StatementArguments(columns.map { _ in pattern })
    }
}

extension GroupQuery.Order {
    fileprivate var column: String {
        switch self {
        case .last: "last_seen"
        case .count: "diagnostics"
        case .new: "first_seen"
        }
    }
}
