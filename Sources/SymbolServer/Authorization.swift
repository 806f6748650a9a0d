import HTTPTypes
import Hummingbird

/// Lets requests through whose token allows what a group of routes does.
struct Authorization: RouterMiddleware {
    let tokens: Tokens
    let requirement: TokenRequirement

    func handle(
        _ request: Request, context: CallerContext,
        next: (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.caller = try tokens.caller(
            authorization: request.headers[.authorization], meeting: requirement)
        context.record.note(caller: context.caller.name)
        return try await next(request, context)
    }
}
