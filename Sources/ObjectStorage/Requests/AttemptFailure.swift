import AsyncHTTPClient
import ErrorDescriptions

/// The reason why an attempt at a request failed.
enum AttemptFailure: Error {
    case refused(Refusal)
    /// There was no complete response.
    case noResponse(String)
    /// A response that does not follow the S3 protocol.
    case malformed(String)
    /// An object whose bytes differ from those expected.
    case wrongBytes(String)

    var detail: String {
        switch self {
        case .refused(let refusal): refusal.detail
        case .noResponse(let detail), .malformed(let detail), .wrongBytes(let detail): detail
        }
    }

    /// Whether another attempt may succeed.
    var isTransient: Bool {
        switch self {
        case .refused(let refusal): refusal.isTransient
        case .noResponse, .wrongBytes: true
        case .malformed: false
        }
    }

    var retryAfter: Duration? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal.retryAfterSeconds.map { .seconds($0) }
    }

    /// Runs an attempt, and converts errors of libraries to failures.
    ///
    /// - Throws: ``AttemptFailure``, ``ObjectStorageError``, or `CancellationError` if the task is
    ///   cancelled.
    static func catching<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure as AttemptFailure {
            throw failure
        } catch let error as ObjectStorageError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw AttemptFailure.noResponse(text(of: error))
        }
    }

    private static func text(of error: any Error) -> String {
        if error is TimeLimitExceeded { return "timed out waiting for a response" }
        // A server that rejects a body before reading all of it closes the connection.
        if error as? HTTPClientError == .bodyLengthMismatch { return "connection was closed" }
        return ErrorDescription(ErrorDescription.requestError(error)).description
    }
}
