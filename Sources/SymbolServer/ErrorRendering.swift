import HTTPTypes
import Hummingbird
import Logging

/// Turns errors into responses: JSON, and on paths of OTLP a `Status` in the request's own encoding.
struct ErrorRendering: RouterMiddleware {
    let methods: AllowedMethods
    private let throttle = WarningThrottle()

    init(methods: AllowedMethods) { self.methods = methods }

    func handle(
        _ request: Request, context: CallerContext,
        next: (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let failure = requestError(error, request)
            context.record.note(refusal: failure.code)
            if let name = failure.callerName { context.record.note(caller: name) }
            if failure.status.code >= 500, throttle.lets(failure.code, at: .now) {
                context.logger.warning("\(failure)")
            }
            return try response(to: request, failure)
        }
    }

    private func requestError(_ error: any Error, _ request: Request) -> RequestError {
        guard let error = error as? HTTPError, error.status == .notFound else {
            return RequestError(error)
        }
        let allowed = methods.methods(at: request.uri.path)
        return allowed.isEmpty
            ? RequestError(
                .notFound, "no_such_path", "path: nothing is here: see the README for endpoints")
            : .wrongMethod(request.method.rawValue, allowed: allowed)
    }

    private func response(to request: Request, _ error: RequestError) throws -> Response {
        var response =
            if OTLPController.paths.contains(request.uri.path) {
                OTLPController.response(of: error, to: request)
            } else {
                try Response.json(ErrorBody(error), status: error.status)
            }
        if let seconds = error.retryAfter { response.headers[.retryAfter] = String(seconds) }
        if let methods = error.allowedMethods {
            response.headers[.allow] = methods.joined(separator: ", ")
        }
        if error.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }
}

/// `{"error": {"code", "message"}}`
private struct ErrorBody: Encodable {
    struct Content: Encodable {
        let code: String
        let message: String
    }

    let error: Content

    init(_ error: RequestError) {
        self.error = Content(code: error.code, message: error.description)
    }
}
