import CallStacks
import PostgreSQL
import SymbolIntake

/// The statement of a list of debug files, newest first.
struct DebugFileListStatement {
    private(set) var text = ""
    private(set) var parameters: [Parameter] = []

    private static let limit = 10_000

    init(_ query: DebugFileQuery) {
        var conditions = ["true"]
        conditions += condition("app IN ('', ", query.access.boundApp, ")")
        conditions += condition("app IN ('', ", query.app, ")")
        if let image = query.image {
            parameters.append(.value(image.bytes, .bytea))
            conditions.append("image = $\(parameters.count)")
        }
        conditions += buildConditions(query)
        parameters.append(.value(Int64(min(max(query.limit, 1), Self.limit)), .int8))
        text = """
            SELECT \(StoredDebugFile.columns) FROM debug_file
            WHERE \(conditions.joined(separator: " AND "))
            ORDER BY upload DESC, id DESC LIMIT $\(parameters.count)
            """
    }

    /// Returns the conditions about builds. A file that is owned by an app needs no build, unless the
    /// query names one.
    private mutating func buildConditions(_ query: DebugFileQuery) -> [String] {
        let namesBuild = query.version != nil || query.build != nil
        guard namesBuild || query.app != nil else { return [] }
        var conditions = ["(debug_file.app = '' OR build.app = debug_file.app)"]
        conditions += condition("build.app = ", query.app ?? query.access.boundApp)
        conditions += condition("version = ", query.version)
        conditions += condition("build.build = ", query.build)
        return [
            """
            (\(namesBuild ? "false" : "app <> ''") OR image IN (
                SELECT image FROM build_image JOIN build ON build.id = build_image.build
                WHERE \(conditions.joined(separator: " AND "))))
            """
        ]
    }

    private mutating func condition(
        _ start: String, _ value: String?, _ end: String = ""
    ) -> [String] {
        guard let value else { return [] }
        parameters.append(.value(value.asKey, .text))
        return ["\(start)$\(parameters.count)\(end)"]
    }
}
