import CallStacks
import Ingest
import PostgreSQL

/// The statement for one page of missing images. Its rows are in descending order, or in ascending
/// order for a query with ``MissingListQuery/after``.
struct MissingListStatement {
    private(set) var text = ""
    private(set) var parameters: [Parameter] = []

    init(_ query: MissingListQuery) {
        var source = MissingImageSource(boundTo: query.boundApp)
        let (comparison, direction) = query.after == nil ? ("<", "DESC") : (">", "ASC")
        let start = query.after ?? query.before ?? MissingListQuery.Position(key: .max, id: .max)
        var conditions = ["in_app = \(source.placeholder(.value(query.scope == .app, .bool)))"]
        if query.boundApp == nil, let app = query.app {
            conditions.append(source.condition(wantedBy: app))
        }
        let (key, id) = (
            source.placeholder(.value(start.key, .int8)),
            source.placeholder(.value(start.id, .int8))
        )
        let limit = source.placeholder(.value(Int64(query.limit), .int8))
        // Diagnostics of a bound app may wait both for any upload and for one of the app, which its
        // list shows as one image.
        let (owner, group) =
            query.boundApp == nil ? ("min(app)", "id") : ("$1::text", "image")
        text = """
            SELECT image, max(name), max(architecture), bool_or(in_app), sum(waiting)::int8,
                min(first_seen), max(last_seen), sum(frames)::int8, array_agg(id ORDER BY id),
                min(id), \(owner)
            FROM \(source.text) WHERE \(conditions.joined(separator: " AND "))
            GROUP BY image, \(group) HAVING (sum(waiting)::int8, min(id)) \(comparison) (\(key), \(id))
            ORDER BY sum(waiting) \(direction), min(id) \(direction) LIMIT \(limit)
            """
        parameters = source.parameters
    }
}
