import CallStacks
import FlameGraphs
import Hummingbird
import HummingbirdCore
import Ingest
import Problems
import Redaction
import ReportProcessing
import StackRendering

/// The received diagnostics, as a list and symbolicated.
struct DiagnosticsController {
    let archive: any DiagnosticArchive
    let lookup: DiagnosticLookup
    let redaction: RedactionLevel

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/diagnostics", use: list)
        routes.get("/v1/diagnostics/:id", use: show)
    }

    @Sendable private func list(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let parameters = request.queryParameters
        var query = DiagnosticQuery(
            limit: try parameters.limit(default: 100, maximum: DiagnosticQuery.largestLimit))
        query.app = try context.caller.app(requested: parameters.text("app"))
        query.version = parameters.text("version")
        query.build = parameters.text("build")
        query.fingerprint = parameters.text("fingerprint")
        query.kind = try parameters.choice("kind")
        query.status = try parameters.choice("status")
        if let id = parameters.text("before") {
            query.before = try await row(id, context: context, prefersAddress: true).address
        }
        let rows = try await archive.diagnostics(query)
        return try .json(
            DiagnosticList(
                diagnostics: rows.map { DiagnosticJSON($0, redaction) },
                next: rows.count == query.limit ? rows.last?.address.description : nil))
    }

    @Sendable private func show(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let row = try await row(context.parameters.pathText("id"), context: context)
        let format = try OutputFormat(
            of: request, among: OutputFormat.allCases.filter { $0 != .same })
        var renderer = ReportRenderer()
        renderer.text.grouping = try request.queryParameters.choice("by") ?? .function
        let diagnostics = try await lookup.diagnostics(
            of: row, boundTo: context.caller.app, findingCallStarts: format.showsCallDistances)
        guard !diagnostics.isEmpty else {
            throw RequestError.notFound(
                Problem(
                    "diagnostic '\(row.uid)'",
                    detail: "its journal entry is no longer stored, or is damaged",
                    suggestion: "see the log for archived objects that cannot be read"))
        }
        return try format.response(
            diagnostics.map {
                renderer.output(of: $0.redactedWithDetails(redaction), as: format)
            })
    }

    /// Returns a diagnostic that the caller may see.
    private func row(
        _ id: String, context: HTTPRequestContext, prefersAddress: Bool = false
    ) async throws -> DiagnosticRecord {
        let row = try await DiagnosticFinder(archive: archive).record(
            id, app: context.caller.app, prefersAddress: prefersAddress)
        guard let row else {
            throw RequestError.notFound(
                Problem(
                    "diagnostic '\(id)'", detail: "unknown",
                    suggestion: "GET /v1/diagnostics lists all diagnostics"))
        }
        return row
    }
}

private struct DiagnosticList: Encodable {
    let diagnostics: [DiagnosticJSON]
    /// The `before` of the next page; absent on the last one.
    let next: String?
}

private struct DiagnosticJSON: Encodable {
    let id: String
    /// The address, which distinguishes diagnostics for which a client used the same identifier.
    let address: String
    let kind: String
    let status: String
    let state: String
    let revision: Int
    let receivedAt: String
    @ExplicitNull var app: String?
    @ExplicitNull var version: String?
    @ExplicitNull var build: String?
    @ExplicitNull var exceptionType: String?
    @ExplicitNull var exceptionMessage: String?
    @ExplicitNull var culprit: String?
    let fingerprint: String
    let frames: Int
    let symbolicatedFrames: Int
    let missing: [String]

    init(_ row: DiagnosticRecord, _ redaction: RedactionLevel) {
        id = row.uid
        address = row.address.description
        kind = row.kind.rawValue
        status = row.status.rawValue
        state = row.state == .sent ? "sent" : "held"
        revision = row.revision
        receivedAt = row.arrival.text
        app = row.app
        version = row.version
        build = row.build
        exceptionType = row.exceptionName
        exceptionMessage = row.exceptionMessage.map { redaction.redacted(message: $0) }
        culprit = row.culprit
        fingerprint = row.fingerprint
        frames = row.frameCount
        symbolicatedFrames = row.symbolicatedFrameCount
        missing = row.wanted.map { "\($0.name ?? "???") \($0.image)" }
    }
}
