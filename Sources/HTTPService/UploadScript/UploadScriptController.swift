import HTTPTypes
import Hummingbird
import Problems

/// Serves the upload script, with the address by which the client reaches the service.
struct UploadScriptController {
    /// Whether the listener uses TLS.
    let usesTLS: Bool

    /// The header in which a proxy names the scheme of the client.
    private static let forwardedScheme = HTTPField.Name("X-Forwarded-Proto")

    func addRoutes(to router: Router<HTTPRequestContext>) { router.get("/upload.sh", use: script) }

    @Sendable private func script(_ request: Request, _ context: HTTPRequestContext) throws
        -> Response
    {
        guard let host = try OriginHeaders(request.head).host() else {
            throw RequestError.badRequest(
                "bad_host",
                Problem(
                    "Host", detail: "missing", suggestion: "send the host and port of the service"))
        }
        let server = "\(scheme(request.headers))://\(host.text)"
        return .text(UploadScript.text(server: server), type: "text/x-shellscript; charset=utf-8")
    }

    private func scheme(_ headers: HTTPFields) -> String {
        let forwarded = Self.forwardedScheme.flatMap { headers[$0] }
        return usesTLS || forwarded?.lowercased() == "https" ? "https" : "http"
    }
}
