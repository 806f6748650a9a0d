import CallStacks
import Hummingbird
import Ingest
import SymbolIntake

/// Whether the process lives, whether it can take requests, and what it counts.
struct HealthController {
    private let journal: any Journal
    private let figures: any FigureArchive
    private let metricsText: @Sendable () -> String

    init(_ parts: ServerParts) {
        journal = parts.journal
        figures = parts.figures
        metricsText = parts.metricsText
    }

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

    /// Ready while the journal answers.
    @Sendable private func ready(_: Request, _: CallerContext) async throws -> Response {
        _ = try await journal.backlog()
        return try .json(Health(status: "ready"))
    }

    private struct Health: Encodable { let status: String }
}
