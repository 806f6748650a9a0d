import Hummingbird
import Metrics

/// Counts requests by route and status, and measures how long they take. Paths that are no route
/// count as one, so that nobody can make labels.
struct RequestCounting: RouterMiddleware {
    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let route = context.endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "none"
        Counter(
            label: "symbolist_http_requests_total",
            dimensions: [("route", route), ("status", "\(response.status.code)")]
        ).increment()
        Metrics.Timer(label: "symbolist_http_request_seconds", dimensions: [("route", route)])
            .recordNanoseconds(Self.nanoseconds(since: start))
        return response
    }

    private static func nanoseconds(since start: ContinuousClock.Instant) -> Int64 {
        let parts = (ContinuousClock.now - start).components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}
