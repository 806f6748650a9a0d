import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Problems

/// Groups of equal diagnostics, as a list and with their history.
struct GroupController {
    let archive: any GroupArchive
    let redaction: RedactionLevel

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/groups", use: list)
        routes.get("/v1/groups/:fingerprint", use: show)
    }

    @Sendable private func list(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let query = try Self.query(request, context)
        let groups = try await archive.groups(query)
        let isFull = groups.count == query.limit
        var list = GroupListJSON(groups, redaction)
        list.kinds = try await archive.groupCounts(app: query.app)
        list.next = isFull ? groups.last.map { query.position(of: $0).description } : nil
        return .json(bytes: list.bytes)
    }

    static func query(
        _ request: Request, _ context: HTTPRequestContext
    ) throws -> GroupQuery {
        let parameters = request.queryParameters
        var query = GroupQuery(
            app: try context.caller.app(requested: parameters.text("app")),
            order: try parameters.choice("sort") ?? .last,
            limit: try parameters.limit(default: 50, maximum: GroupQuery.largestLimit))
        query.version = parameters.text("version")
        guard query.version == nil || query.app != nil else {
            throw RequestError.badRequest(
                "app_missing", Problem("version", detail: "needs an app", suggestion: "add app="))
        }
        query.kind = try parameters.choice("kind")
        query.readability = try parameters.choice("status")
        query.text = parameters.text("q")
        if let text = parameters.text("before") {
            guard let position = GroupQuery.Position(text) else {
                throw RequestError.badRequest(
                    "bad_before",
                    Problem(
                        "before", detail: "'\(text)' is invalid",
                        suggestion: "use 'next' of the previous page"))
            }
            query.before = position
        }
        return query
    }

    /// Returns the groups with a fingerprint: one for each app that the caller may see.
    @Sendable private func show(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let fingerprint = try context.parameters.pathText("fingerprint")
        let app = try context.caller.app(requested: request.queryParameters.text("app"))
        let groups = try await archive.groups(fingerprint: fingerprint, app: app)
        guard !groups.isEmpty else {
            throw RequestError.notFound(
                Problem(
                    "group '\(fingerprint)'", detail: "unknown",
                    suggestion: "GET /v1/groups lists all groups"))
        }
        return .json(bytes: GroupListJSON(groups, redaction).bytes)
    }
}
