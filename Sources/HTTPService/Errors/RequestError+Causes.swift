import Decompression
import ErrorDescriptions
import HTTPTypes
import Hummingbird
import Ingest
import NIOHTTP1
import Problems
import SymbolIntake

// Error responses for the errors of other modules.
extension RequestError {
    /// Creates the response for an error. For a failed write it contains the cause, such as a full
    /// disk.
    init(_ error: any Error) {
        switch error {
        case let error as Self: self = error
        case let error as IngestGatewayError:
            self = .unavailable(error.problem, retryAfter: IngestGateway.retryAfterSeconds)
        case let error as JournalError:
            self = .store(error.problem, isDamaged: error.reason == .damaged)
        case let error as IntakeError: self = .store(error.problem)
        case let error as StorageError: self = .store(error.problem)
        case let error as QueryError:
            self =
                switch error.reason {
                case .malformed: .badRequest("malformed", error.problem)
                case .unprocessable: Self(.unprocessableContent, "malformed", error.problem)
                case .tooLarge: .queryTooLarge(error.problem)
                }
        case let error as RequestTimeoutHandler.Failure: self.init(error)
        case let error as CompressionError: self.init(error)
        case is HTTPParserError:
            self = .badRequest(
                "cut_off",
                Problem(
                    "body", detail: "truncated or not HTTP", suggestion: "send the whole body"))
        case let error as HTTPError:
            self.init(
                error.status, "http_error",
                Problem("request", detail: error.body ?? "\(error.status)"))
        case is CancellationError: self = .stopping
        default: self.init(unknown: error)
        }
    }

    /// Creates the response for an error of a library. It suggests a retry only if the disk is
    /// full.
    private init(unknown error: any Error) {
        let cause = ErrorDescription(error)
        let detail = "\(cause)"
        self =
            cause.isDiskFull
            ? .store(Problem("service", detail: detail, suggestion: "free some space"))
            : Self(
                .internalServerError, "internal",
                Problem("service", detail: detail, suggestion: "see the log of the service"))
    }

    private init(_ error: CompressionError) {
        switch error.reason {
        case .tooLarge(let limit): self = .tooLarge("body", limit: limit)
        case .damaged: self = .badRequest("bad_compression", error.problem)
        case .noMemory: self = .unavailable(error.problem, retryAfter: Self.retrySeconds)
        }
    }

    private init(_ failure: RequestTimeoutHandler.Failure) {
        switch failure {
        case .timedOut(let seconds):
            self.init(
                .requestTimeout, "too_slow",
                Problem(
                    "request", detail: "timed out after \(seconds) s",
                    suggestion: "send less at a time"))
        case .truncated:
            self = .badRequest(
                "cut_off", Problem("body", detail: "truncated", suggestion: "send the whole body"))
        case .stopping: self = .stopping
        }
    }

    private static let stopping = unavailable(
        Problem("service", detail: "stopping", suggestion: "send the request again"),
        retryAfter: retrySeconds)

    /// Creates the response for an error of a store. It suggests a retry if the disk is full or the
    /// store unreachable, but not if data is corrupt.
    private static func store(_ problem: Problem, isDamaged: Bool = false) -> Self {
        isDamaged
            ? Self(.internalServerError, "damaged", problem)
            : .unavailable(problem, retryAfter: retrySeconds)
    }

    private static func queryTooLarge(_ problem: Problem) -> Self {
        Self(.contentTooLarge, "too_large", problem)
    }

    /// The retry delay after an error of a store and during a restart, in seconds.
    static let retrySeconds = 5
}
