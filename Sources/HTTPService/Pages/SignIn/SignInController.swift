import CallStacks
import Foundation
import HTMLText
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Pages
import Problems
import SymbolIntake

/// Handles signing in with a token, signing out, and the choice of colours.
struct SignInController {
    let site: PageSite
    let limiter = SignInLimiter()

    /// The maximum size of a form, in bytes.
    private static let formLimit = 16 << 10

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/sign-in"), use: show)
        routes.post(site.route("/sign-in"), use: signIn)
        routes.post(site.route("/sign-out"), use: signOut)
        routes.post(site.route("/view"), use: choose)
        routes.get(site.route("/keys")) { request, context in
            try site.response(
                ShortcutPage().page(in: site.context(of: request, context)), to: request)
        }
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let target = Self.returnPath(request.queryParameters.text("return"))
        return try page(SignInPage(returnPath: target ?? ""), request, context, status: .ok)
    }

    @Sendable private func signIn(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let form = try await form(of: request)
        let target = Self.returnPath(form["return"])
        let address = context.channel.remoteAddress?.ipAddress ?? ""
        guard limiter.admits(address, at: .now) else {
            throw RequestError(
                .tooManyRequests, "too_many_attempts",
                Problem(
                    "sign-in",
                    detail: "more than \(SignInLimiter.attemptLimit) wrong tokens a minute",
                    suggestion: "wait"),
                retryAfter: Int(SignInLimiter.window.components.seconds))
        }
        guard let grant = site.tokens.grant(of: form["token"] ?? "") else {
            limiter.fail(address, at: .now)
            context.outcome.record(refusal: "token_unknown")
            return try page(
                SignInPage(returnPath: target ?? "", problem: "This token is unknown."), request,
                context, status: .unauthorized)
        }
        var response = try site.redirect(to: destination(target), from: request)
        response.headers[.setCookie] = site.sessions.setCookie(
            for: grant, context, now: UnixTime.now())
        return response
    }

    @Sendable private func signOut(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        var response = try site.redirect(to: site.link("sign-in"), from: request)
        response.headers[.setCookie] = site.sessions.removeCookie(context)
        if let name = HTTPField.Name("Clear-Site-Data") { response.headers[name] = "\"cache\"" }
        return response
    }

    /// Stores the chosen colours in a cookie, and returns to the page.
    @Sendable private func choose(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let form = try await form(of: request)
        var response = try site.redirect(
            to: destination(Self.returnPath(form["return"])), from: request)
        let theme = form["theme"].flatMap(PageContext.Theme.init(rawValue:))
        let views = DiagnosticViewOptions(remembering: site.viewWords(of: request))
        response.headers[.setCookie] = PageSite.viewCookie(theme: theme, views.words)
        return response
    }

    private func page(
        _ page: SignInPage, _ request: Request, _ context: HTTPRequestContext,
        status: HTTPResponse.Status
    ) throws -> Response {
        var page = page
        page.needsToken = !site.tokens.isEmpty
        return try site.response(
            page.page(in: site.context(of: request, context)), to: request, status: status)
    }

    /// Reads a form. If there are no tokens, ``CrossSiteProtectionMiddleware`` has already checked
    /// the origin.
    private func form(of request: Request) async throws -> [String: String] {
        let headers = OriginHeaders(request.head)
        try headers.checkSameOrigin(as: headers.host())
        return FormFields.decode(try await request.bytes(limit: Self.formLimit))
    }

    private func destination(_ path: String?) -> LinkTarget {
        path.flatMap(LinkTarget.init(path:)) ?? site.link()
    }

    /// Returns the text if it is a path of this site, with a single leading slash, no backslash,
    /// and only visible ASCII.
    static func returnPath(_ text: String?) -> String? {
        text.flatMap(LinkTarget.init(path:))?.text
    }
}
