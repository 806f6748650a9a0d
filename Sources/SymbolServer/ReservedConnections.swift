import HTTPTypes
import Hummingbird

/// Answers only the health of the service on connections beyond the limit.
struct ReservedConnections: RouterMiddleware {
    let connections: Connections

    private static let retryAfterSeconds = 1

    func handle(
        _ request: Request, context: CallerContext,
        next: (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let isHealth = HealthController.openPaths.contains(request.uri.path)
        guard isHealth || !connections.isReserved(context.channel) else {
            throw RequestError.unavailable(
                "connections: all are busy: send again later, or raise limits.connections",
                retryAfter: Self.retryAfterSeconds)
        }
        return try await next(request, context)
    }
}
