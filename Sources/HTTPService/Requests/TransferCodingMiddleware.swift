import HTTPTypes
import Hummingbird
import Problems

/// Refuses bodies with a transfer coding besides `chunked` (RFC 9112, section 6.1). They would be
/// read without being decoded.
struct TransferCodingMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        let codings = request.headers[.transferEncoding]
        guard let codings, codings.lowercased() != "chunked" else {
            return try await next(request, context)
        }
        throw RequestError(
            .notImplemented, "unsupported_transfer_coding",
            Problem(
                "Transfer-Encoding '\(codings.prefix(100))'", detail: "unsupported",
                suggestion: "use 'chunked', and Content-Encoding for a compressed body"))
    }
}
