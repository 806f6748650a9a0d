import HTTPTypes

/// Why a request cannot be answered as asked: a status, a code for programs, and a sentence with the
/// subject, what happened, and what to do next.
struct RequestError: Error, CustomStringConvertible {
    let status: HTTPResponse.Status
    let code: String
    let description: String
    /// What a client should wait before it tries again, in seconds.
    var retryAfter: Int?
    /// Where the method was wrong.
    var allowedMethods: [String]?
    /// Whose token does not allow what was asked.
    var callerName: String?

    init(
        _ status: HTTPResponse.Status, _ code: String, _ description: String,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.description = description
        self.retryAfter = retryAfter
    }

    static func badRequest(_ code: String, _ description: String) -> Self {
        Self(.badRequest, code, description)
    }

    static func wrongMethod(_ method: String, allowed: [String]) -> Self {
        let list = allowed.joined(separator: " or ")
        var error = Self(
            .methodNotAllowed, "wrong_method",
            "method: '\(method)' is not for this path: use \(list)")
        error.allowedMethods = allowed
        return error
    }

    static func notFound(_ description: String) -> Self {
        Self(.notFound, "not_found", description)
    }

    static func tooLarge(_ subject: String, limit: Int) -> Self {
        Self(
            .contentTooLarge, "body_too_large",
            "\(subject): is larger than \(limit) bytes, the limit: send less at a time")
    }

    /// Nothing was kept; the same request can be sent again.
    static func unavailable(_ description: String, retryAfter: Int) -> Self {
        Self(.serviceUnavailable, "unavailable", description, retryAfter: retryAfter)
    }
}
