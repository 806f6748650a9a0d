/// The reason why a request body is refused.
public struct QueryError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// The body is not a valid query.
        case malformed
        /// The body is not a valid query, for protocols that have a separate status for that.
        case unprocessable
        /// The body is well-formed, but exceeds a limit or leads to a response that does.
        case tooLarge
    }

    public let reason: Reason
    public let problem: Problem

    /// - Parameter member: The member of the body.
    public static func malformed(_ member: String, _ detail: String) -> Self {
        Self(reason: .malformed, problem: Problem(member, detail: detail))
    }

    /// - Parameter member: The member of the body.
    public static func unprocessable(_ member: String, _ detail: String) -> Self {
        Self(reason: .unprocessable, problem: Problem(member, detail: detail))
    }

    /// - Parameters:
    ///   - member: The member of the body, or `response`.
    ///   - suggestion: A request that would be accepted.
    public static func tooLarge(_ member: String, _ detail: String, suggestion: String) -> Self {
        Self(
            reason: .tooLarge, problem: Problem(member, detail: detail, suggestion: suggestion))
    }
}
