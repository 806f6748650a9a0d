import CallStacks
import Hummingbird
import Ingest
import SymbolIntake

/// Whether the process lives, whether it can take requests, and what it counts.
struct HealthController {
    private let readiness: Readiness
    private let figures: any FigureArchive
    private let metricsText: @Sendable () -> String

    init(_ parts: ServerParts) {
        readiness = parts.readiness
        figures = parts.figures
        metricsText = parts.metricsText
    }

    static let openPaths: Set<String> = ["/healthz", "/readyz"]

    /// These need no token: orchestrators have none.
    func addOpenRoutes(to routes: Router<CallerContext>) {
        routes.get("/healthz") { _, _ in try Response.json(Health(status: "ok")) }
        routes.get("/readyz", use: ready)
    }

    func addReadingRoutes(to routes: RouterGroup<CallerContext>) {
        routes.get("/metrics", use: metrics)
    }

    /// Where the figures of apps cannot be read, the metrics of the process matter all the more.
    @Sendable private func metrics(_: Request, _ context: CallerContext) async -> Response {
        let exposition = FigureExposition(archive: figures, now: UnixTime.now())
        let figures = (try? await exposition.text(app: context.caller.app)) ?? ""
        return .text(metricsText() + figures, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// Ready while telemetry is accepted. Otherwise an error with all reasons.
    @Sendable private func ready(_: Request, _: CallerContext) async throws -> Response {
        let reasons = await readiness.reasons()
        guard !reasons.isEmpty else { return try .json(Health(status: "ready")) }
        return try .json(NotReady(reasons), status: .serviceUnavailable)
    }

    private struct Health: Encodable { let status: String }

    private struct NotReady: Encodable {
        let status = "not_ready"
        let error: Readiness.Reason
        let reasons: [Readiness.Reason]

        init(_ reasons: [Readiness.Reason]) {
            let messages = reasons.map(\.message).joined(separator: "; ")
            error = Readiness.Reason(code: "not_ready", message: messages)
            self.reasons = reasons
        }
    }
}
