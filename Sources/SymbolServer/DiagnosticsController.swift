import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest

/// What was received, and its symbolicated form.
struct DiagnosticsController {
    let archive: any DiagnosticArchive
    let lookup: DiagnosticLookup

    func addRoutes(to routes: RouterGroup<CallerContext>) {
        routes.get("/v1/diagnostics", use: list)
        routes.get("/v1/diagnostics/:id", use: show)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let parameters = request.uri.queryParameters
        var query = DiagnosticQuery(
            limit: try parameters.limit(or: 100, upTo: DiagnosticQuery.largestLimit))
        query.app = try context.caller.app(asked: parameters.text("app"))
        query.version = parameters.text("version")
        query.build = parameters.text("build")
        query.fingerprint = parameters.text("fingerprint")
        query.kind = try parameters.choice("kind")
        query.status = try parameters.choice("status")
        if let id = parameters.text("before") {
            query.before = try await row(id, context, prefersAddress: true).place
        }
        let rows = try await archive.diagnostics(query)
        return try .json(DiagnosticList(diagnostics: rows.map(DiagnosticJSON.init)))
    }

    @Sendable private func show(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let row = try await row(context.parameters.pathText("id"), context)
        let format = try AnswerFormat(of: request, among: [.json, .text, .crash, .markdown])
        let answers = try await lookup.diagnostics(
            of: row, boundTo: context.caller.app, findingCallStarts: format.showsCallDistances)
        guard !answers.isEmpty else {
            throw RequestError.notFound(
                "diagnostic '\(row.uid)': its entry is no longer kept: raise retention")
        }
        return try format.response(answers)
    }

    /// A diagnostic that the caller may see, by its address or an identifier: the newest of several.
    ///
    /// - Parameter prefersAddress: Whether a text that may be both is an address.
    private func row(
        _ id: String, _ context: CallerContext, prefersAddress: Bool = false
    ) async throws -> DiagnosticRow {
        let app = context.caller.app
        var addressed: DiagnosticRow?
        if let place = RecordPlace(id), let row = try await archive.diagnostic(at: place),
            app == nil || app == row.app
        {
            addressed = row
        }
        if prefersAddress, let addressed { return addressed }
        guard let row = try await archive.diagnostic(uid: id, app: app) ?? addressed else {
            throw RequestError.notFound(
                "diagnostic '\(id)': is not known: GET /v1/diagnostics lists all")
        }
        return row
    }
}

private struct DiagnosticList: Encodable { let diagnostics: [DiagnosticJSON] }

private struct DiagnosticJSON: Encodable {
    let id: String
    /// What tells it from others that a client gave the same identifier.
    let address: String
    let kind: String
    let status: String
    let state: String
    let revision: Int
    let receivedAt: String
    @Null var app: String?
    @Null var version: String?
    @Null var build: String?
    @Null var exceptionType: String?
    @Null var exceptionMessage: String?
    @Null var culprit: String?
    let fingerprint: String
    let frames: Int
    let symbolicatedFrames: Int
    let missing: [String]

    init(_ row: DiagnosticRow) {
        id = row.uid
        address = row.place.description
        kind = row.kind.rawValue
        status = row.status.rawValue
        state = row.state == .sent ? "sent" : "held"
        revision = row.revision
        receivedAt = row.arrival.text
        app = row.app
        version = row.version
        build = row.build
        exceptionType = row.exceptionName
        exceptionMessage = row.exceptionMessage
        culprit = row.culprit
        fingerprint = row.fingerprint
        frames = row.frameCount
        symbolicatedFrames = row.symbolicatedFrameCount
        missing = row.wanted.map { "\($0.name ?? "???") \($0.image)" }
    }
}
