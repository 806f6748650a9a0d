import HTMLText
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Pages
import Problems

extension PageSite {
    /// Returns an error as a page, or `nil` if the client does not show pages.
    ///
    /// A visitor who is not signed in is redirected to the sign-in page, or shown it in response to
    /// a form.
    func response(
        to request: Request, _ context: HTTPRequestContext, _ error: RequestError
    ) throws -> Response? {
        // A CONNECT request has no path, and an empty path would count as the first page.
        guard request.method != .connect, !request.wantsJSON,
            isPage(request.uri.path) || isUnknownPage(request, error)
        else { return nil }
        if error.status == .unauthorized { return try signIn(request, context) }
        let problem = error.problem
        var page = MessagePage(
            title: Self.title(of: error.status),
            explanation: Problem(problem.subject, detail: problem.detail).description,
            suggestion: problem.suggestion, retryAfter: error.retryAfter)
        page.leadsToList = [.badRequest, .notFound, .gone].contains(error.status)
        return try response(
            page.page(in: self.context(of: request, context)), to: request, status: error.status)
    }

    private func signIn(_ request: Request, _ context: HTTPRequestContext) throws -> Response {
        if request.method == .get || request.method == .head {
            return try redirect(
                to: link("sign-in", query: [("return", request.head.path)]), from: request)
        }
        // A redirection would lose the form without saying so.
        let page = SignInPage(
            returnPath: formPath(of: request) ?? link().text,
            problem:
                "You are not signed in, so the form was not processed. Sign in to return to the "
                + "page, then send it again. To keep text that you entered, first go back in the "
                + "browser and copy it.")
        return try response(
            page.page(in: self.context(of: request, context)), to: request, status: .unauthorized)
    }

    /// Returns the path of the page of this site with the form that a request comes from, or `nil`
    /// if it is unknown.
    private func formPath(of request: Request) -> String? {
        guard let referer = request.headers[.referer],
            let start = referer.firstRange(of: "://")?.upperBound,
            let host = try? OriginHeaders(request.head).host(),
            let slash = referer[start...].firstIndex(of: "/"),
            referer[start..<slash].lowercased() == host.text.lowercased(),
            let target = LinkTarget(path: String(referer[slash...]))
        else { return nil }
        return target.text
    }

    /// Whether a browser opened a path that does not exist.
    private func isUnknownPage(_ request: Request, _ error: RequestError) -> Bool {
        error.status == .notFound && request.wantsHTML && !request.uri.path.hasPrefix("/v1/")
    }

    private static func title(of status: HTTPResponse.Status) -> String {
        switch status {
        case .forbidden: "Not allowed"
        case .notFound: "Not found"
        case .gone: "Removed"
        case .methodNotAllowed: "Method not allowed"
        case .contentTooLarge: "Too large"
        case .misdirectedRequest: "Unknown host name"
        case .tooManyRequests: "Too many attempts"
        case .serviceUnavailable: "Temporarily unavailable"
        case _ where status.code < 500: "The request is invalid"
        default: "Something went wrong"
        }
    }
}
