import HTTPTypes
import Hummingbird

/// Adds the security policy to every response of the pages, errors included.
///
/// Nothing is loaded from other sites, nothing inline runs, no other site may embed a page, and
/// scripts cannot assign HTML. `nosniff` is added to every response by ``NoSniffHandler``.
struct PageHeadersMiddleware: RouterMiddleware {
    let site: PageSite

    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """

    private static let headers: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Robots-Tag", "noindex"),
    ]

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let isHTML = response.headers[.contentType]?.hasPrefix("text/html") ?? false
        guard isHTML || site.isPage(request.uri.path) else { return response }
        for (name, value) in Self.headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }
}
