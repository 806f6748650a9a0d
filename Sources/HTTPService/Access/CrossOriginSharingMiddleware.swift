import HTTPTypes
import Hummingbird

/// Lets web pages of other sites read responses of Mozilla's symbolication API.
///
/// With tokens, any page may, because it needs a token too. Without tokens, only pages of the configured
/// origins may.
struct CrossOriginSharingMiddleware: RouterMiddleware {
    let tokens: Tokens
    let pageOrigins: Set<String>

    /// How long browsers may remember the response to a preflight request, in seconds.
    private static let preflightSeconds = 86_400

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard MozillaController.pagePaths.contains(request.uri.path),
            !tokens.isEmpty || OriginHeaders(request.head).isFromPage(of: pageOrigins)
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
}
