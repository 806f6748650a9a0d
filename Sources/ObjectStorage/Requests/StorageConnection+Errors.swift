import NIOHTTP1
import Problems

extension StorageConnection {
    /// Returns the error of a request whose last attempt failed.
    func error(
        _ failure: AttemptFailure, of request: StorageRequest, attempts: Int
    ) -> ObjectStorageError {
        let times = attempts > 1 ? " in \(attempts) attempts" : ""
        let detail = "\(request.method.rawValue) failed\(times): \(failure.detail)"
        return ObjectStorageError(
            Self.reason(failure),
            Problem(
                subject(request.key), detail: detail, suggestion: Self.suggestion(failure)))
    }

    /// `s3://BUCKET/PREFIX/KEY`
    func subject(_ key: ObjectKey?) -> String { location.url + (key?.rawValue ?? "") }

    private static func reason(_ failure: AttemptFailure) -> ObjectStorageError.Reason {
        switch failure {
        case .refused(let refusal): reason(refusal)
        case .noResponse: .unavailable
        case .malformed: .malformedResponse
        case .wrongBytes: .wrongBytes
        }
    }

    private static func reason(_ refusal: Refusal) -> ObjectStorageError.Reason {
        if refusal.isTransient { return .unavailable }
        if refusal.isNotFound { return .notFound }
        if refusal.isBeyondEnd { return .wrongBytes }
        if refusal.isOfObjectState { return .unreadable }
        if refusal.isAccessDenied { return .accessDenied }
        return .refused(status: refusal.status)
    }

    private static func suggestion(_ failure: AttemptFailure) -> String? {
        switch failure {
        case .refused(let refusal): refusal.suggestion
        case .noResponse: "check blobs.endpoint and the network"
        case .malformed: "check that blobs.endpoint is an S3 server"
        case .wrongBytes: nil
        }
    }
}
