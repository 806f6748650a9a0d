import CallStacks
import HTTPTypes
import Hummingbird
import SymbolIntake

/// Admits requests whose token or sign-in meets the requirement of a group of routes.
struct AuthorizationMiddleware: RouterMiddleware {
    let tokens: Tokens
    let requirement: TokenRequirement
    /// The sign-ins, or `nil` if there are no pages.
    var sessions: SignInSessions?

    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let session = tokens.isEmpty ? nil : session(of: request, context: context)
        if let session {
            let headers = OriginHeaders(request.head)
            try headers.checkSentBySite(headers.host())
            context.caller = try tokens.caller(signedInWith: session.grant, meeting: requirement)
        } else {
            context.caller = try tokens.caller(
                authorization: request.headers[.authorization], meeting: requirement)
        }
        context.outcome.record(caller: context.caller.name)
        var response = try await next(request, context)
        if let sessions, let session, sessions.isDue(session, now: UnixTime.now()) {
            let cookie = sessions.setCookie(for: session.grant, context, now: UnixTime.now())
            // A page may set a cookie of its own.
            response.headers.append(HTTPField(name: .setCookie, value: cookie))
        }
        return response
    }

    /// Returns the sign-in of a request that has no token itself.
    private func session(of request: Request, context: HTTPRequestContext) -> SignInSessions
        .Session?
    {
        guard request.headers[.authorization] == nil else { return nil }
        return sessions?.session(of: request, context, now: UnixTime.now())
    }
}
