public import Problems

/// An error of an object store, its credentials or its settings. It never contains a secret.
public struct ObjectStorageError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// The object or the upload does not exist.
        case notFound
        /// The credentials are missing, invalid or insufficient.
        case accessDenied
        /// The object has other bytes than expected, or fewer.
        case wrongBytes
        /// The server has the object, but does not return it in its present state, such as one of an
        /// archival storage class.
        case unreadable
        /// The server refused the request for another reason.
        case refused(status: Int)
        /// The server did not respond, or not with success, in all attempts.
        case unavailable
        /// The response is not one of S3.
        case malformedResponse
        /// A local file cannot be read or written.
        case localFile
        /// A setting is malformed.
        case invalidSetting
    }

    public let reason: Reason
    public let problem: Problem

    init(_ reason: Reason, _ problem: Problem) {
        self.reason = reason
        self.problem = problem
    }

    static func invalid(_ subject: String, detail: String, suggestion: String) -> Self {
        Self(.invalidSetting, Problem(subject, detail: detail, suggestion: suggestion))
    }
}
