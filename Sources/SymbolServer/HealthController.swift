import Hummingbird
import Ingest

/// Whether the process lives, whether it can take requests, and what it counts.
struct HealthController {
    let journal: any Journal
    let metricsText: @Sendable () -> String

    /// These need no token: orchestrators have none.
    func addOpenRoutes(to routes: Router<CallerContext>) {
        routes.get("/healthz") { _, _ in try Response.json(Health(status: "ok")) }
        routes.get("/readyz", use: ready)
    }

    func addReadingRoutes(to routes: RouterGroup<CallerContext>) {
        routes.get("/metrics") { _, _ in
            Response.text(metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    /// Ready while the journal answers.
    @Sendable private func ready(_: Request, _: CallerContext) async throws -> Response {
        _ = try await journal.backlog()
        return try .json(Health(status: "ready"))
    }

    private struct Health: Encodable { let status: String }
}
