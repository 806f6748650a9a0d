import HTTPTypes
import Hummingbird

/// Writes requests that changed something, and refused requests, to the audit log.
struct AuditMiddleware: RouterMiddleware {
    let audit: AuditLog
    /// Whether a request uploads.
    let isUpload: @Sendable (HTTPRequest) -> Bool

    private static let refusals: Set<Int> = [401, 403, 421]

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let status = response.status.code
        if Self.refusals.contains(status) {
            audit.log(
                refusal: "\(status) \(context.outcome.refusal ?? "")",
                of: "\(request.method.rawValue) \(request.uri.path)", from: actor(of: context))
        } else if isChange(request) || context.outcome.isChange, (200..<300).contains(status) {
            // Includes the query, which names the build of an upload.
            let target = request.head.path ?? request.uri.path
            audit.log(change: "\(request.method.rawValue) \(target)", by: actor(of: context))
        }
        return response
    }

    private func actor(of context: HTTPRequestContext) -> AuditLog.Actor {
        AuditLog.Actor(name: context.outcome.caller, channel: context.channel)
    }

    /// Whether the request uploads, deletes, or resends dead letters.
    private func isChange(_ request: Request) -> Bool {
        request.method == .delete || isUpload(request.head)
            || request.method == .post && request.uri.path == DeadLetterController.resendPath
    }
}
