import CallStacks
import Hummingbird
import Ingest
import SymbolIntake

/// Liveness, readiness and metrics.
struct HealthController {
    private let readiness: Readiness
    private let figures: any FigureArchive
    private let metricsText: @Sendable () -> String
    private let sharesFigures: Bool

    init(_ parts: ServerDependencies) {
        readiness = parts.readiness
        figures = parts.figures
        metricsText = parts.metricsText
        sharesFigures = parts.sharesFigures
    }

    static let openPaths: Set<String> = ["/healthz", "/readyz"]

    /// Adds the routes without a token, because orchestrators have none.
    func addOpenRoutes(to routes: Router<HTTPRequestContext>) {
        routes.get("/healthz") { _, _ in try Response.json(Health(status: "ok")) }
        routes.get("/readyz", use: ready)
    }

    func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/metrics", use: metrics)
        routes.get("/metrics/figures", use: appMetrics)
    }

    private static let exposition = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the metrics of the process, and those of the apps unless several nodes share them.
    /// If those of the apps cannot be read, the metrics of the process are still returned.
    @Sendable private func metrics(_: Request, context: HTTPRequestContext) async -> Response {
        let figures = sharesFigures ? "" : (try? await figures(for: context)) ?? ""
        return .text(metricsText() + figures, type: Self.exposition)
    }

    /// Returns the metrics of the apps.
    @Sendable private func appMetrics(
        _: Request, context: HTTPRequestContext
    ) async throws -> Response {
        .text(try await figures(for: context), type: Self.exposition)
    }

    private func figures(for context: HTTPRequestContext) async throws -> String {
        try await AppMetricsExposition(archive: figures, now: UnixTime.now())
            .text(app: context.caller.app)
    }

    /// Returns 200 while telemetry is accepted, and otherwise an error with all reasons.
    @Sendable private func ready(_: Request, _: HTTPRequestContext) async throws -> Response {
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
