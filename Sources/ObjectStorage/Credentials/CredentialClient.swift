import AsyncHTTPClient
import ErrorDescriptions
import NIOCore
import NIOHTTP1
import Problems

/// A request for credentials.
struct CredentialRequest: Sendable {
    /// The name of the server, for errors.
    var subject: String
    var method: HTTPMethod
    var url: String
    var headers: [String: String]
    var body: String?
    /// The time limit of the request, or `nil` for the client's.
    var limit: Duration?

    init(
        _ subject: String, method: HTTPMethod, url: String, headers: [String: String],
        body: String? = nil, limit: Duration? = nil
    ) {
        self.subject = subject
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.limit = limit
    }
}

/// Sends requests for credentials. Neither requests nor responses become part of an error.
struct CredentialClient: Sendable {
    let client: HTTPClient
    let retry: AttemptPolicy
    /// The time limit of a request.
    let limit: Duration
    /// The timeout in seconds after which a machine is considered to have no instance metadata
    /// service.
    var probeSeconds = 2

    /// The maximum size of a response, in bytes.
    static let bytesLimit = 64 << 10

    /// Sends a request, with retries after transient failures.
    ///
    /// - Returns: The body of a successful response.
    /// - Throws: ``ObjectStorageError``: `unavailable` if there was no response or a failure that may
    ///   pass, `accessDenied` if the request was refused.
    func send(_ request: CredentialRequest) async throws -> [UInt8] {
        do { return try await attempt(repeatedly: request) } catch let failure as AttemptFailure {
            throw Self.error(failure, request: request)
        }
    }

    /// Sends a request to a server that may not exist.
    ///
    /// - Returns: The body of a successful response, or `nil` if there was no response.
    /// - Throws: ``ObjectStorageError``, as ``send(_:)`` does.
    func probe(_ request: CredentialRequest) async throws -> [UInt8]? {
        do { return try await attempt(repeatedly: request) } catch AttemptFailure.noResponse {
            return nil
        } catch let failure as AttemptFailure {
            throw Self.error(failure, request: request)
        }
    }

    private func attempt(repeatedly request: CredentialRequest) async throws -> [UInt8] {
        var attempts = Attempts(policy: retry)
        while true {
            do {
                return try await attempt(request)
            } catch let failure as AttemptFailure {
                guard let delay = attempts.delay(after: failure) else { throw failure }
                try await retry.sleep(delay)
            }
        }
    }

    private func attempt(_ request: CredentialRequest) async throws -> [UInt8] {
        try await AttemptFailure.catching {
            try await withTimeLimit(request.limit ?? limit) { [client] in
                var sent = HTTPClientRequest(url: request.url)
                sent.method = request.method
                sent.headers = HTTPHeaders(request.headers.map { ($0.key, $0.value) })
                sent.body = request.body.map { .bytes(ByteBuffer(string: $0)) }
                let response = try await client.execute(sent, deadline: .distantFuture)
                let body = try await response.body.bytes(upTo: Self.bytesLimit)
                guard response.status == .ok else {
                    throw AttemptFailure.refused(Refusal(status: Int(response.status.code)))
                }
                return body
            }
        }
    }

    static func malformed(_ subject: String) -> ObjectStorageError {
        ObjectStorageError(
            .malformedResponse, Problem(subject, detail: "responded without credentials"))
    }

    private static func error(
        _ failure: AttemptFailure, request: CredentialRequest
    ) -> ObjectStorageError {
        switch failure {
        case .refused(let refusal) where !refusal.isTransient:
            ObjectStorageError(
                .accessDenied,
                Problem(
                    request.subject, detail: failure.detail,
                    suggestion: "check the role of this machine"))
        default: ObjectStorageError(.unavailable, Problem(request.subject, detail: failure.detail))
        }
    }
}
