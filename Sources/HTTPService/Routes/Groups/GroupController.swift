import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Ingest
import Problems

/// Groups of equal diagnostics, as a list and with their history.
struct GroupController {
    let archive: any GroupArchive

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
        return try .json(
            GroupList(
                groups: groups.map(GroupJSON.init),
                kinds: try await archive.groupCounts(app: query.app).reduce(into: [:]) {
                    $0[$1.key.rawValue] = $1.value
                },
                next: isFull ? groups.last.map { query.position(of: $0).description } : nil))
    }

    static func query(
        _ request: Request, _ context: HTTPRequestContext
    ) throws -> GroupQuery {
        let parameters = request.uri.queryParameters
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
        let app = try context.caller.app(requested: request.uri.queryParameters.text("app"))
        let groups = try await archive.groups(fingerprint: fingerprint, app: app)
        guard !groups.isEmpty else {
            throw RequestError.notFound(
                Problem(
                    "group '\(fingerprint)'", detail: "unknown",
                    suggestion: "GET /v1/groups lists all groups"))
        }
        return try .json(GroupList(groups: groups.map(GroupJSON.init)))
    }
}

private struct GroupList: Encodable {
    let groups: [GroupJSON]
    var kinds: [String: Int]?
    var next: String?
}

private struct GroupJSON: Encodable {
    struct Version: Encodable {
        @ExplicitNull var version: String?
        let diagnostics: Int
        let frames: Int
        let symbolicatedFrames: Int
        let firstSeen: String
        let lastSeen: String

        init(_ version: GroupVersion) {
            self.version = version.version
            diagnostics = version.diagnosticCount
            frames = version.frameCount
            symbolicatedFrames = version.symbolicatedFrameCount
            firstSeen = version.firstSeen.text
            lastSeen = version.lastSeen.text
        }
    }

    struct Day: Encodable {
        let day: String
        let diagnostics: Int

        init(_ day: GroupDay) {
            self.day = String(
                UnixTime(rawValue: day.day * GroupDay.milliseconds).text.prefix { $0 != "T" })
            diagnostics = day.diagnosticCount
        }
    }

    let fingerprint: String
    @ExplicitNull var app: String?
    let kind: String
    @ExplicitNull var culprit: String?
    @ExplicitNull var exceptionType: String?
    @ExplicitNull var exceptionMessage: String?
    let diagnostics: Int
    let unreadable: Int
    let firstSeen: String
    let lastSeen: String
    let newest: String
    @ExplicitNull var trend: String?
    let versions: [Version]
    let days: [Day]

    init(_ group: DiagnosticGroup) {
        fingerprint = group.fingerprint
        app = group.app
        kind = group.kind.rawValue
        culprit = group.culprit
        exceptionType = group.exceptionName
        exceptionMessage = group.exceptionMessage
        diagnostics = group.diagnosticCount
        unreadable = group.unreadableCount
        firstSeen = group.firstSeen.text
        lastSeen = group.lastSeen.text
        newest = group.newest.description
        trend = group.trend?.rawValue
        versions = group.versions.map(Version.init)
        days = group.days.map(Day.init)
    }
}
