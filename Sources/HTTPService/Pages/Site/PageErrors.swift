import HTTPTypes
import Hummingbird
import HummingbirdCore
import Pages
import Problems

extension PageSite {
    /// Returns an error as a page, or `nil` if the client does not show pages.
    ///
    /// A visitor who is not signed in is redirected to the sign-in page.
    func response(
        to request: Request, _ context: HTTPRequestContext, _ error: RequestError
    ) throws -> Response? {
        guard !request.wantsJSON, isPage(request.uri.path) || isUnknownPage(request, error)
        else { return nil }
        let isRead = request.method == .get || request.method == .head
        if error.status == .unauthorized, isRead {
            return try redirect(
                to: link("sign-in", query: [("return", request.head.path)]), from: request)
        }
        let problem = error.problem
        var page = MessagePage(
            title: Self.title(of: error.status),
            explanation: Problem(problem.subject, detail: problem.detail).description,
            suggestion: problem.suggestion, retryAfter: error.retryAfter)
        page.leadsToList = [.badRequest, .notFound, .gone].contains(error.status)
        return try response(
            page.page(in: self.context(of: request, context)), to: request, status: error.status)
    }

    /// Whether a browser opened a path that does not exist.
    private func isUnknownPage(_ request: Request, _ error: RequestError) -> Bool {
        error.status == .notFound && request.wantsHTML && !request.uri.path.hasPrefix("/v1/")
    }

    private static func title(of status: HTTPResponse.Status) -> String {
        switch status {
        case .unauthorized: "Not signed in"
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
