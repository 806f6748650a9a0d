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
        /// The server has the object but does not return it in its current state, for instance
        /// because it is in an archival storage class.
        case unreadable
        /// The server rejected the request for another reason.
        case refused(status: Int)
        /// No attempt resulted in a successful response.
        case unavailable
        /// The response is not an S3 response.
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
