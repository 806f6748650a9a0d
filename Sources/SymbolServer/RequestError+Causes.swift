import Decompression
import ErrorDescriptions
import HTTPTypes
import Hummingbird
import Ingest
import NIOHTTP1
import SymbolIntake

// What the parts of the service report, as a client is told it.
extension RequestError {
    /// A fault of the service keeps its words for the log, as far as they tell a client nothing.
    init(_ error: any Error) {
        switch error {
        case let error as Self: self = error
        case let error as ReceptionError:
            self = .unavailable(error.description, retryAfter: Reception.retryAfterSeconds)
        case let error as JournalError:
            self = .store(error.description, isDamaged: error.reason == .damaged)
        case let error as CatalogueError: self = .store(error.description)
        case let error as IntakeError: self = .store(error.description)
        case let error as BlobError: self = .store(error.description)
        case let error as FileFailure: self = .store(error.description)
        case let error as RequestArrival.Failure: self.init(error)
        case let error as CompressionError: self.init(error)
        case is HTTPParserError:
            self = .badRequest("cut_off", "body: is cut off or not HTTP: send the whole body")
        case let error as HTTPError:
            self.init(error.status, "http_error", "request: \(error.body ?? "\(error.status)")")
        case is CancellationError:
            self = .unavailable(
                "service: is stopping: send the request again", retryAfter: Self.restartSeconds)
        default:
            self.init(
                .internalServerError, "internal",
                "service: \(ErrorDescription(error)): see the log of the service")
        }
    }

    private init(_ error: CompressionError) {
        switch error.reason {
        case .tooLarge(let limit): self = .tooLarge("body", limit: limit)
        case .damaged: self = .badRequest("bad_compression", error.description)
        case .noMemory:
            self = .unavailable(error.description, retryAfter: Self.storeSeconds)
        }
    }

    private init(_ failure: RequestArrival.Failure) {
        switch failure {
        case .late(let seconds):
            self.init(
                .requestTimeout, "too_slow",
                "request: did not arrive within \(seconds) seconds, the limit: send it faster")
        case .cutOff:
            self = .badRequest("cut_off", "body: is cut off: send the whole body")
        }
    }

    /// What of a disk that is full or a store that is out of reach passes when somebody looks after
    /// it; what is damaged does not.
    private static func store(_ description: String, isDamaged: Bool = false) -> Self {
        isDamaged
            ? Self(.internalServerError, "damaged", description)
            : .unavailable(description, retryAfter: storeSeconds)
    }

    /// How long a client should wait for a store, and for a service that starts again, in seconds.
    private static let storeSeconds = 30
    private static let restartSeconds = 5
}
