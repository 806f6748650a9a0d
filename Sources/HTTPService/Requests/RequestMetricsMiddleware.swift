import Hummingbird
import Metrics
import Synchronization

/// Records the number and duration of requests by route and status. Unknown paths share one label,
/// so that clients cannot create labels.
struct RequestMetricsMiddleware: RouterMiddleware {
    private let known = KnownMetrics()

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let route = context.endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "none"
        let metrics = known.metrics(route: route, status: response.status.code)
        metrics.count.increment()
        metrics.time.recordNanoseconds(Self.nanoseconds(since: start))
        return response
    }

    private static func nanoseconds(since start: ContinuousClock.Instant) -> Int64 {
        let parts = (ContinuousClock.now - start).components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}

/// A cache of the metrics used so far, because creating a metric takes longer than counting. Their
/// number is bounded by the numbers of routes and statuses.
private final class KnownMetrics: Sendable {
    struct RequestMetrics: Sendable {
        let count: Counter
        let time: Metrics.Timer
    }

    private struct Key: Hashable {
        let route: String
        let status: Int
    }

    private let known = Mutex<[Key: RequestMetrics]>([:])

    func metrics(route: String, status: Int) -> RequestMetrics {
        known.withLock { known in
            let key = Key(route: route, status: status)
            if let metrics = known[key] { return metrics }
            let metrics = RequestMetrics(
                count: Counter(
                    label: "symbolist_http_requests_total",
                    dimensions: [("route", route), ("status", "\(status)")]),
                time: Metrics.Timer(
                    label: "symbolist_http_request_seconds", dimensions: [("route", route)]))
            known[key] = metrics
            return metrics
        }
    }
}
