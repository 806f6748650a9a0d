import GRDB
import Ingest

/// The statement for one page of missing images. Its rows are in descending order, or in ascending
/// order for a query with ``MissingListQuery/after``.
///
/// The rows of all apps are found in their order, through an index. Those of one app are found
/// through an index and sorted.
struct MissingListStatement {
    let sql: String
    let arguments: StatementArguments

    init(_ query: MissingListQuery) {
        let (comparison, direction) = query.after == nil ? ("<", "DESC") : (">", "ASC")
        let start =
            query.after ?? query.before ?? MissingListQuery.Position(key: .max, id: .max)
        let page: StatementArguments = [start.key, start.id, query.limit]
        let isInApp = query.scope == .app
        if let app = query.boundApp {
            // Diagnostics of the app may wait both for any upload and for one of the app.
            sql = """
                SELECT min(id) AS place, group_concat(id) AS ids, image, ? AS app, max(name) AS name,
                    max(architecture) AS architecture, in_app, sum(waiting) AS waiting,
                    min(first_seen) AS first_seen, max(last_seen) AS last_seen
                FROM (\(MissingImageTable.missingOfOneApp)) WHERE in_app = ? GROUP BY image
                HAVING (sum(waiting), min(id)) \(comparison) (?, ?)
                ORDER BY sum(waiting) \(direction), min(id) \(direction) LIMIT ?
                """
            arguments = [app, app, app, app, isInApp] + page
        } else {
            let wanted = "SELECT DISTINCT image FROM image_version WHERE app = ?"
            let source =
                query.app == nil
                ? "missing_image AS own"
                : "(\(wanted)) AS wanted CROSS JOIN missing_image AS own ON own.id = wanted.image"
            sql = """
                SELECT own.*, own.id AS place, CAST(own.id AS TEXT) AS ids FROM \(source)
                WHERE in_app = ? AND stored = 0 AND (waiting, own.id) \(comparison) (?, ?)
                ORDER BY waiting \(direction), own.id \(direction) LIMIT ?
                """
            arguments = (query.app.map { [$0] } ?? []) + [isInApp] + page
        }
    }
}
