import CallStacks
import Ingest
import PostgreSQL

/// The missing images that a query shows, as a subquery with its parameters.
struct MissingImageSource {
    private(set) var parameters: [Parameter] = []
    private(set) var text = ""

    /// - Parameter app: The only app whose waiting diagnostics are counted, or `nil` for all apps.
    init(boundTo app: String?) {
        var (ofApp, frames, own) = ("", "sum(frames)::int8", "")
        if let app {
            parameters = [.value(app.asKey, .text)]
            (ofApp, frames, own) = ("WHERE app = $1", "0::int8", "AND m.app IN ('', $1)")
        }
        text = """
            (SELECT m.*, t.waiting, t.frames FROM missing_image m JOIN (
                SELECT image, sum(waiting)::int8 AS waiting, \(frames) AS frames
                FROM missing_tally \(ofApp) GROUP BY image HAVING sum(waiting) > 0
            ) t ON t.image = m.id WHERE NOT m.stored \(own)) AS missing
            """
    }

    /// Adds a parameter, and returns its placeholder.
    mutating func placeholder(_ parameter: Parameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    /// Returns the condition for images that an app's diagnostics want.
    mutating func condition(wantedBy app: String) -> String {
        let app = placeholder(.value(app.asKey, .text))
        return "id IN (SELECT image FROM image_version WHERE app = \(app))"
    }

    /// The images that match a query, apart from its limit.
    init(_ query: MissingQuery) {
        self.init(boundTo: query.boundApp)
        var conditions = ["true"]
        if let scope = query.scope {
            conditions.append("in_app = \(placeholder(.value(scope == .app, .bool)))")
        }
        if let image = query.image {
            conditions.append("image = \(placeholder(.value(image.bytes, .bytea)))")
        }
        if let app = query.app { conditions.append(condition(wantedBy: app)) }
        text += " WHERE \(conditions.joined(separator: " AND "))"
    }
}
