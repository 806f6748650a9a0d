import HTTPTypes
import Hummingbird

/// Allows web pages of other sites to read responses of Mozilla's symbolication API.
///
/// If there are tokens, any page may read them, because it needs a token anyway. Otherwise only
/// pages of the configured origins may; requests without an `Origin`, which browsers do not send
/// from pages, get the header too. Preflight requests are always answered.
struct CrossOriginSharingMiddleware: RouterMiddleware {
    let tokens: Tokens
    let pageOrigins: Set<String>

    /// The time for which browsers may cache the response to a preflight request, in seconds.
    private static let preflightSeconds = 86_400

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard MozillaController.pagePaths.contains(request.uri.path), isReadable(request)
        else { return response }
        response.headers[.accessControlAllowOrigin] = "*"
        if request.method == .options {
            response.headers[.accessControlAllowMethods] = "POST, GET, OPTIONS"
            response.headers[.accessControlMaxAge] = "\(Self.preflightSeconds)"
            response.headers[.accessControlAllowHeaders] =
                request.headers[.accessControlRequestHeaders]
        }
        return response
    }

    private func isReadable(_ request: Request) -> Bool {
        if !tokens.isEmpty || request.method == .options { return true }
        let headers = OriginHeaders(request.head)
        return headers.isFromPage(of: pageOrigins) || headers.namesNoPage
    }
}
