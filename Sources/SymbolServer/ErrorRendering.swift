import HTTPTypes
import Hummingbird
import Logging

/// Turns errors into responses: JSON, and on paths of OTLP a `Status` in the request's own encoding.
struct ErrorRendering: RouterMiddleware {
    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let failure = Self.serviceError(error)
            if failure.status.code >= 500 { context.logger.warning("\(failure)") }
            return try response(to: request, failure)
        }
    }

    private func response(to request: Request, _ error: ServiceError) throws -> Response {
        var response =
            if OTLPController.paths.contains(request.uri.path) {
                OTLPController.response(of: error, to: request)
            } else {
                try Response.json(ErrorBody(error), status: error.status)
            }
        if let seconds = error.retryAfter { response.headers[.retryAfter] = String(seconds) }
        if error.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    private static func serviceError(_ error: any Error) -> ServiceError {
        switch error {
        case let error as ServiceError: return error
        case let error as HTTPError where error.status == .notFound:
            return ServiceError(
                .notFound, "no_such_path", "path: nothing is here: see the README for endpoints")
        case let error as HTTPError:
            return ServiceError(error.status, "http_error", error.body ?? "\(error.status)")
        default:
            return ServiceError(.internalServerError, "internal", "service: \(error)")
        }
    }
}

/// `{"error": {"code", "message"}}`
private struct ErrorBody: Encodable {
    struct Content: Encodable {
        let code: String
        let message: String
    }

    let error: Content

    init(_ error: ServiceError) {
        self.error = Content(code: error.code, message: error.description)
    }
}
