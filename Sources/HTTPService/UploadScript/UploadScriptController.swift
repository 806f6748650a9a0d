import HTTPTypes
import Hummingbird

/// Serves the upload script, with the address by which clients reach the service.
struct UploadScriptController {
    /// The URL in the settings, or `nil` for the address of each request.
    let root: String?
    /// The names of the service.
    let hosts: AllowedHosts
    /// Whether the listener uses TLS.
    let usesTLS: Bool

    /// The header in which a proxy names the scheme of the client.
    private static let forwardedScheme = HTTPField.Name("X-Forwarded-Proto")

    func addRoutes(to router: Router<HTTPRequestContext>) { router.get("/upload.sh", use: script) }

    @Sendable private func script(_ request: Request, context: HTTPRequestContext) throws
        -> Response
    {
        let server = try root ?? address(of: request, context: context) ?? ""
        var response = Response.text(
            UploadScript.text(server: server), type: "text/x-shellscript; charset=utf-8")
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Returns the address that the client used, or `nil` if it is not certain.
    ///
    /// The script sends a token to this address. So the host must be a name of the service, and the
    /// scheme must be known. Behind a proxy it is not, because any client can send the proxy's
    /// header.
    private func address(of request: Request, context: HTTPRequestContext) throws -> String? {
        let isForwarded = Self.forwardedScheme.map { request.headers.contains($0) } ?? false
        guard usesTLS || !isForwarded, let host = try OriginHeaders(request.head).host(),
            hosts.contains(host.host, local: context.localHost)
        else { return nil }
        return "\(usesTLS ? "https" : "http")://\(host.text)"
    }
}
