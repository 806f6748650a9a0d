import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Problems
import TaskCoordination

/// A function that receives the method of a request, its duration, and whether it succeeded.
public typealias RequestObserver =
    @Sendable (_ method: String, _ duration: Duration, _ isSuccessful: Bool) -> Void

/// Signs and sends requests, with retries after transient failures.
struct StorageConnection: Sendable {
    let location: ObjectLocation
    let client: HTTPClient
    let credentials: CredentialCache
    let clock: ServerClock
    let retry: AttemptPolicy
    /// The maximum time without progress.
    let silence: Duration
    /// Limits the number of requests, because excess ones would wait in the client's own queue,
    /// where waiting counts against the connect timeout.
    let slots: TaskSemaphore
    let observer: RequestObserver?

    /// The maximum number of bytes of an error response that are read.
    static let errorBytesLimit = 64 << 10

    typealias Receiver<Result> = @Sendable (HTTPClientResponse) async throws -> Result

    /// Sends a request until it succeeds or a retry is useless.
    ///
    /// - Parameter receive: Reads a successful response. It is called again if it fails.
    /// - Throws: ``ObjectStorageError``, or `CancellationError`.
    func send<Result: Sendable>(
        _ request: StorageRequest, receive: @escaping Receiver<Result>
    ) async throws -> Result {
        let start = ContinuousClock.now
        var isSuccessful = false
        defer {
            observer?(request.method.rawValue, start.duration(to: .now), isSuccessful)
        }
        let result = try await sendPatiently(request, receive: receive)
        isSuccessful = true
        return result
    }

    private func sendPatiently<Result: Sendable>(
        _ request: StorageRequest, receive: @escaping Receiver<Result>
    ) async throws -> Result {
        var attempts = Attempts(policy: retry)
        var remedies = RefusalRemedies()
        while true {
            let credentials = try await self.credentials.credentials()
            do {
                return try await slots.run {
                    try await attempt(request, credentials: credentials, receive: receive)
                }
            } catch let failure as AttemptFailure {
                if await remedies.apply(to: failure, credentials: credentials, in: self) {
                    continue
                }
                guard let delay = attempts.delay(after: failure) else {
                    throw error(failure, of: request, attempts: attempts.count)
                }
                try await retry.sleep(delay)
            }
        }
    }

    private func attempt<Result: Sendable>(
        _ request: StorageRequest, credentials: Credentials, receive: @escaping Receiver<Result>
    ) async throws -> Result {
        try await AttemptFailure.catching {
            try await withTimeLimit(request.timeLimit(silence: silence)) {
                let response = try await client.execute(
                    sent(request, credentials: credentials), deadline: .distantFuture)
                guard (200..<300).contains(response.status.code) else {
                    throw AttemptFailure.refused(try await refusal(response))
                }
                return try await receive(response)
            }
        }
    }

    private func refusal(_ response: HTTPClientResponse) async throws -> Refusal {
        Refusal(
            status: Int(response.status.code), headers: response.headers,
            body: try await response.body.firstBytes(Self.errorBytesLimit))
    }

    /// Returns the HTTP request, signed with the current time.
    private func sent(_ request: StorageRequest, credentials: Credentials) -> HTTPClientRequest {
        let path = location.path(of: request.key)
        let query = request.query.encoded
        let signer = RequestSigner(
            credentials: credentials, region: location.region, date: clock.now)
        let headers = signer.signedHeaders(
            of: CanonicalRequest(
                method: request.method.rawValue, path: path, query: request.query,
                headers: request.headers.merging(["host": location.authority]) { $1 },
                payloadDigest: request.body.digest))
        var sent = HTTPClientRequest(
            url: "\(location.endpoint.scheme)://\(location.authority)\(path)"
                + (query.isEmpty ? "" : "?\(query)"))
        sent.method = request.method
        sent.headers = HTTPHeaders(headers.sorted { $0.key < $1.key })
        sent.headers.add(name: "user-agent", value: "symbolist")
        sent.body = request.body.sent
        return sent
    }
}

/// Corrections after error responses that allow an immediate retry. Each is applied at most once
/// per request.
private struct RefusalRemedies {
    private var hasAdjustedClock = false
    private var hasDiscardedCredentials = false

    /// - Returns: Whether the request can be retried immediately.
    mutating func apply(
        to failure: AttemptFailure, credentials: Credentials, in connection: StorageConnection
    ) async -> Bool {
        guard case .refused(let refusal) = failure else { return false }
        if !hasAdjustedClock, let date = Self.otherTime(refusal, clock: connection.clock) {
            hasAdjustedClock = true
            connection.clock.adjust(to: date)
            return true
        }
        guard refusal.isOfCredentials, !hasDiscardedCredentials else { return false }
        hasDiscardedCredentials = true
        await connection.credentials.discard(credentials)
        return true
    }

    /// Returns the server's time if the request was rejected because of its own time. The response
    /// to a HEAD request has no error code, so the times are compared.
    private static func otherTime(_ refusal: Refusal, clock: ServerClock) -> Date? {
        guard let date = refusal.date else { return nil }
        switch refusal.code {
        case "RequestTimeTooSkewed": return date
        case nil where refusal.status == 403 && clock.isFar(from: date): return date
        default: return nil
        }
    }
}
