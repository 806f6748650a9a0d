import HTTPTypes
import Problems

/// An error response: a status, a code for programs, and a problem.
struct RequestError: DescribedError {
    let status: HTTPResponse.Status
    let code: String
    let problem: Problem
    /// The time to wait before a retry, in seconds, or `nil` if a retry does not help.
    let retryAfter: Int?
    /// The methods of the path, if the request used another one.
    let allowedMethods: [String]?
    /// The name of the token, if it does not allow the request.
    let callerName: String?

    init(
        _ status: HTTPResponse.Status, _ code: String, _ problem: Problem,
        retryAfter: Int? = nil, allowedMethods: [String]? = nil, callerName: String? = nil
    ) {
        self.status = status
        self.code = code
        self.problem = problem
        self.retryAfter = retryAfter
        self.allowedMethods = allowedMethods
        self.callerName = callerName
    }

    /// The code with the subject, which identifies a cause in the log.
    var cause: String { "\(code) \(problem.subject ?? "")" }

    static func badRequest(_ code: String, _ problem: Problem) -> Self {
        Self(.badRequest, code, problem)
    }

    static func wrongMethod(_ method: String, allowed: [String]) -> Self {
        let list = allowed.joined(separator: " or ")
        return Self(
            .methodNotAllowed, "wrong_method",
            Problem(
                "method", detail: "'\(method)' is not allowed for this path",
                suggestion: "use \(list)"),
            allowedMethods: allowed)
    }

    static func notFound(_ problem: Problem) -> Self {
        Self(.notFound, "not_found", problem)
    }

    static func tooLarge(_ subject: String, limit: Int) -> Self {
        Self(
            .contentTooLarge, "body_too_large",
            Problem(
                subject, detail: "larger than \(limit) bytes, the limit",
                suggestion: "send less at a time"))
    }

    /// Creates the error for a request that was not stored at all, so that it can be sent again.
    static func unavailable(_ problem: Problem, retryAfter: Int) -> Self {
        Self(.serviceUnavailable, "unavailable", problem, retryAfter: retryAfter)
    }
}
