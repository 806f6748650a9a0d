import HTTPTypes
import Hummingbird
import Logging
import Problems

/// Turns errors into responses, in the form of the protocol to which the path belongs.
struct ErrorResponseMiddleware: RouterMiddleware {
    let methods: AllowedMethods
    /// The pages, or `nil` if they are disabled.
    let pages: PageSite?
    private let throttle = WarningThrottle()

    init(methods: AllowedMethods, pages: PageSite?) {
        self.methods = methods
        self.pages = pages
    }

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let failure = requestError(error, request: request)
            context.outcome.record(refusal: failure.code)
            if let name = failure.callerName { context.outcome.record(caller: name) }
            if failure.status.code >= 500, throttle.allows(failure.cause, at: .now) {
                context.logger.warning("\(failure)")
            }
            return try response(to: request, context, failure)
        }
    }

    private func requestError(_ error: any Error, request: Request) -> RequestError {
        guard let error = error as? HTTPError, error.status == .notFound else {
            return RequestError(error)
        }
        let allowed = methods.methods(at: request.uri.path)
        // A route with parameters may match a path for which it has no resource.
        return allowed.isEmpty || allowed.contains(request.method.rawValue)
            ? RequestError(
                .notFound, "no_such_path",
                Problem(
                    "path '\(request.uri.path.prefix(100))'", detail: "unknown",
                    suggestion: "see the documentation for endpoints"))
            : .wrongMethod(request.method.rawValue, allowed: allowed)
    }

    private func response(
        to request: Request, _ context: HTTPRequestContext, _ error: RequestError
    ) throws -> Response {
        var response =
            try pages?.response(to: request, context, error) ?? Self.response(error, to: request)
        if let seconds = error.retryAfter { response.headers[.retryAfter] = String(seconds) }
        if let methods = error.allowedMethods {
            response.headers[.allow] = methods.joined(separator: ", ")
        }
        if error.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    private static func response(_ error: RequestError, to request: Request) throws -> Response {
        switch ErrorForm(path: request.uri.path) {
        case .otlp: OTLPController.response(of: error, to: request)
        case .contract: try Response.json(ErrorBody(error), status: error.status)
        case .mozilla: try MozillaController.response(of: error)
        case .symbolicator: try SymbolicatorController.response(of: error)
        case .sentry: try Response.json(["detail": error.description], status: error.status)
        case .text: Response.text("\(error)\n", status: error.status)
        }
    }
}

/// `{"error": {"code", "message"}}`
struct ErrorBody: Encodable {
    struct Content: Encodable {
        let code: String
        let message: String
    }

    let error: Content

    init(_ error: RequestError) {
        self.error = Content(code: error.code, message: error.description)
    }
}
