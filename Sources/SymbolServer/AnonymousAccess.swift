import HTTPTypes
import Hummingbird

/// Keeps web pages of other sites out of a service that has no tokens, for which reaching it is
/// permission enough.
struct AnonymousAccess: RouterMiddleware {
    let tokens: Tokens
    let hosts: AllowedHosts

    func handle(
        _ request: Request, context: CallerContext,
        next: (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let source = RequestSource(request.head)
        let authority = try source.authority()
        if tokens.isEmpty {
            try check(authority, local: context.localHost)
            try source.checkSite(authority)
        }
        return try await next(request, context)
    }

    private func check(_ authority: Authority?, local: HostName?) throws {
        guard let authority else {
            throw RequestError.badRequest(
                "bad_host", "Host: is missing: send the host and port of the service")
        }
        guard hosts.contains(authority.host, local: local) else {
            throw RequestError(
                .misdirectedRequest, "unknown_host",
                "Host: '\(authority.host.text)' is not a name of this service: "
                    + "add it to http.hosts, or use localhost")
        }
    }
}
