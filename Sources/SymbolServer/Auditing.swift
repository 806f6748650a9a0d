import HTTPTypes
import Hummingbird

/// Notes in the audit log which requests changed something, and which were refused.
struct Auditing: RouterMiddleware {
    let audit: AuditLog

    private static let refusals: Set<Int> = [401, 403, 421]

    func handle(
        _ request: Request, context: CallerContext,
        next: (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let status = response.status.code
        if Self.refusals.contains(status) {
            audit.note(
                refusal: "\(status) \(context.record.refusal ?? "")",
                of: "\(request.method.rawValue) \(request.uri.path)", to: actor(of: context))
        } else if Self.isChange(request), (200..<300).contains(status) {
            // With the query, which names the build of an upload.
            let target = request.head.path ?? request.uri.path
            audit.note(change: "\(request.method.rawValue) \(target)", by: actor(of: context))
        }
        return response
    }

    private func actor(of context: CallerContext) -> AuditLog.Actor {
        AuditLog.Actor(name: context.record.caller, channel: context.channel)
    }

    /// Uploads, what removes something, and sending dead letters again.
    private static func isChange(_ request: Request) -> Bool {
        request.method == .delete || UploadController.isUpload(request.head)
            || request.method == .post && request.uri.path == DeadLetterController.resendPath
    }
}
