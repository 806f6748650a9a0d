import CallStacks
import Ingest
import PostgreSQL

/// The statement of a list of groups, for which there is an index: see ``Schema/groups``. Its rows
/// are in descending order, and in ascending order for a query with ``GroupQuery/after``.
struct GroupListStatement {
    private(set) var text = ""
    private(set) var parameters: [Parameter] = []
    private var conditions = ["own.diagnostics > 0"]

    init(_ query: GroupQuery) {
        let table = query.version == nil ? "own" : "part"
        let id = query.version == nil ? "own.id" : "part.\"group\""
        if let version = query.version {
            // Times and counts of the version.
            add("part.app =", query.app ?? "")
            add("part.version =", version)
        } else {
            add("own.app =", query.app)
        }
        add("own.kind =", query.kind?.rawValue)
        let (comparison, direction) = query.after == nil ? ("<", "DESC") : (">", "ASC")
        let start = query.after ?? query.before ?? GroupQuery.Position(key: .max, id: .max)
        let column = "\(table).\(Self.column(of: query.order))"
        conditions.append(
            """
            (\(column), \(id)) \(comparison) (\(placeholder(.value(start.key, .int8))), \
            \(placeholder(.value(start.id, .int8))))
            """)
        addReadability(query.readability)
        addText(query.text)
        let source =
            query.version == nil
            ? "diagnostic_group own"
            : "group_version part JOIN diagnostic_group own ON own.id = part.\"group\""
        text = """
            SELECT \(Self.columns(of: table)) FROM \(source)
            WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(column) \(direction), \(id) \(direction)
            LIMIT \(placeholder(.value(Int64(query.limit), .int8)))
            """
    }

    /// The columns of a group, with the counts and times of a version if `table` is `part`.
    static func columns(of table: String) -> String {
        """
        own.id, own.app, own.fingerprint, own.kind, own.culprit, own.exception_name,
            own.exception_message, \(table).diagnostics, own.unreadable, \(table).first_seen,
            \(table).last_seen, own.newest_entry, own.newest_position
        """
    }

    static func column(of order: GroupQuery.Order) -> String {
        switch order {
        case .last: "last_seen"
        case .count: "diagnostics"
        case .new: "first_seen"
        }
    }

    private mutating func placeholder(_ parameter: Parameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    private mutating func add(_ condition: String, _ value: String?) {
        guard let value else { return }
        conditions.append("\(condition) \(placeholder(.value(value.asKey, .text)))")
    }

    private mutating func addReadability(_ readability: GroupQuery.Readability?) {
        switch readability {
        case nil: break
        case .raw: conditions.append("own.unreadable >= own.diagnostics")
        case .readable: conditions.append("own.unreadable < own.diagnostics")
        }
    }

    /// With the collation "C", only the case of ASCII letters is ignored.
    private mutating func addText(_ text: String?) {
        guard let text else { return }
        let part = text.withoutNUL.map { "\\%_".contains($0) ? "\\\($0)" : String($0) }.joined()
        let pattern = placeholder(.value("%\(part)%", .text))
        let matches = ["culprit", "exception_name", "exception_message"].map {
            "own.\($0) COLLATE \"C\" ILIKE \(pattern)"
        }
        conditions.append("(\(matches.joined(separator: " OR ")))")
    }
}
