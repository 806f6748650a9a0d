import HTTPTypes
import Hummingbird
import Problems

/// Serves only health checks on reserved connections.
struct ReservedConnectionMiddleware: RouterMiddleware {
    let connections: ConnectionRegistry

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        let isHealth = HealthController.openPaths.contains(request.uri.path)
        guard isHealth || !connections.isReserved(context.channel) else {
            throw RequestError.connectionLimitReached
        }
        return try await next(request, context)
    }
}

extension RequestError {
    /// The response to any other request on a reserved connection.
    static let connectionLimitReached = RequestError.unavailable(
        Problem(
            "connections", detail: "all are busy",
            suggestion: "send again later, or raise limits.connections"), retryAfter: 1)
}
