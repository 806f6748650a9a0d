import HTTPTypes
import Hummingbird
import Problems

/// Rejects requests from web pages of other sites if the service has no tokens and therefore trusts
/// every client that can reach it.
struct CrossSiteProtectionMiddleware: RouterMiddleware {
    let tokens: Tokens
    /// The sites whose pages may use Mozilla's symbolication API.
    let pageOrigins: Set<String>
    let hosts: AllowedHosts

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        let headers = OriginHeaders(request.head)
        let host = try headers.host()
        if tokens.isEmpty {
            try check(host, context)
            if !isAllowed(request, headers) { try headers.checkSameOrigin(as: host) }
        }
        return try await next(request, context)
    }

    /// Whether a page of another site may send a request. A preflight request changes nothing, and
    /// the request that follows it is checked.
    private func isAllowed(_ request: Request, _ headers: OriginHeaders) -> Bool {
        MozillaController.pagePaths.contains(request.uri.path)
            && (request.method == .options || headers.isFromPage(of: pageOrigins))
    }

    private func check(_ host: HostAndPort?, _ context: HTTPRequestContext) throws {
        guard let host else {
            throw RequestError.badRequest(
                "bad_host",
                Problem(
                    "Host", detail: "missing", suggestion: "send the host and port of the service"))
        }
        guard hosts.contains(host.host, local: context.localHost) else {
            throw RequestError(
                .misdirectedRequest, "unknown_host",
                Problem(
                    "Host", detail: "'\(host.host.text)' is not a name of this service",
                    suggestion: "add it to http.hosts, or use localhost"))
        }
    }
}
