import AsyncHTTPClient
import ErrorDescriptions
import Foundation
import HTTPDates
import JSONText
import NIOCore
import NIOHTTP1
import NIOPosix
import Problems

/// A client connection to a server that retries failed requests.
///
/// Close it with ``close()``.
public struct ServerConnection: Sendable {
    public let address: ServerAddress
    private let client: HTTPClient
    private let retry: RetryPolicy

    /// The maximum size of a response, in bytes.
    static let responseLimit = 64 << 20
    private static let connectSeconds: Int64 = 10

    /// - Parameters:
    ///   - timeoutSeconds: The maximum time without progress of a request.
    ///   - tls: The authorities to trust and the client's certificate, or `nil` for the system's
    ///     authorities and no certificate.
    ///   - environment: The environment variables, which may configure a proxy.
    public init(
        _ address: ServerAddress, retry: RetryPolicy, timeoutSeconds: Int,
        tls: ClientTLS? = nil, environment: [String: String]
    ) {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls?.configuration, redirectConfiguration: .disallow,
            timeout: .init(
                connect: .seconds(Self.connectSeconds), read: .seconds(Int64(timeoutSeconds)),
                write: .seconds(Int64(timeoutSeconds))))
        // Retries happen in ``send(_:)``.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        configuration.proxy =
            ProxyAddress(for: address.url, environment: environment)?.configuration
        client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration)
        self.address = address
        self.retry = retry
    }

    public func close() async { try? await client.shutdown() }

    /// Sends a request, and retries it until it succeeds or a retry is useless.
    ///
    /// - Returns: The body of the successful response.
    func send(_ request: ServerRequest) async throws -> [UInt8] {
        var number = 0
        while true {
            switch try await attempt(request) {
            case .done(let body): return body
            case .failed(let error): throw error
            case .again(let error, let retryAfter):
                number += 1
                guard number <= retry.retryCount else { throw error }
                try await retry.sleep(retry.delay(beforeRetry: number, retryAfter: retryAfter))
            }
        }
    }

    /// The result of sending a request once.
    private enum Attempt {
        case done([UInt8])
        case failed(ServerRequestError)
        /// A failure that a retry may fix, with the server's `Retry-After`.
        case again(ServerRequestError, retryAfter: Duration?)
    }

    private func attempt(_ request: ServerRequest) async throws -> Attempt {
        let response: ServerResponse
        do {
            response = try await self.response(to: request)
        } catch let error as UploadError {
            throw error
        } catch {
            try Task.checkCancellation()
            let problem = Problem(
                address.url, detail: Self.words(for: error), suggestion: Self.suggestion(for: error)
            )
            return .again(ServerRequestError(.unreachable, problem: problem), retryAfter: nil)
        }
        if response.isSuccess { return .done(response.body) }
        let error = response.error(address)
        return RetryPolicy.isWorthRetrying(response.status)
            ? .again(error, retryAfter: response.retryAfter) : .failed(error)
    }

    /// If a server responds before it has read the body, for instance because of the token, the
    /// library may report a short body instead of the response. Files have the announced length, so
    /// the request is sent again.
    private func response(to request: ServerRequest) async throws -> ServerResponse {
        for _ in 0..<Self.lostResponseLimit {
            do {
                return try await exchange(request)
            } catch let error as HTTPClientError where error == .bodyLengthMismatch {}
        }
        return try await exchange(request)
    }

    private static let lostResponseLimit = 4

    private func exchange(_ request: ServerRequest) async throws -> ServerResponse {
        var sent = HTTPClientRequest(url: address.url(of: request.path, query: request.query))
        sent.method = request.method
        sent.headers.add(name: "Accept", value: "application/json")
        sent.headers.add(name: "User-Agent", value: "symbolist")
        if let token = address.token {
            sent.headers.add(name: "Authorization", value: "Bearer \(token)")
        }
        switch request.body {
        case .none: break
        case .json(let bytes):
            sent.headers.add(name: "Content-Type", value: "application/json")
            sent.body = .bytes(ByteBuffer(bytes: bytes))
        case .file(let file):
            sent.headers.add(name: "Content-Type", value: "application/octet-stream")
            sent.body = .stream(
                CompressedCopy.Pieces(file: file, onProgress: request.onProgress),
                length: .known(file.byteCount))
        }
        let head = try await client.execute(sent, deadline: .distantFuture)
        let body = try await head.body.collect(upTo: Self.responseLimit)
        return ServerResponse(
            status: Int(head.status.code), body: Array(body.readableBytesView),
            retryAfter: head.headers.first(name: "Retry-After").flatMap {
                Duration(retryAfter: $0, now: Date())
            })
    }

    private static func suggestion(for error: any Error) -> String {
        ErrorDescription(error).tlsFailure == .missingClientCertificate
            ? ClientTLS.suggestion : "check --server and the network"
    }

    /// Describes a network failure. The libraries' own messages contain names of types.
    private static func words(for error: any Error) -> String {
        switch error as? HTTPClientError {
        case .connectTimeout: return "connection timed out"
        case .readTimeout, .deadlineExceeded: return "timed out waiting for a response"
        case .writeTimeout: return "timed out sending"
        case .remoteConnectionClosed: return "closed the connection"
        default: break
        }
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else { return "host not found" }
            return words(for: first.error)
        }
        if let error = error as? IOError {
            return error.errnoCode == ECONNREFUSED ? "connection refused" : "connection lost"
        }
        return "cannot be reached (\(ErrorDescription(error)))"
    }
}

/// A server's response.
private struct ServerResponse {
    var status: Int
    var body: [UInt8]
    var retryAfter: Duration?

    var isSuccess: Bool { (200..<300).contains(status) }

    func error(_ address: ServerAddress) -> ServerRequestError {
        let message = text("message").map { "returned \(status) (\($0))" } ?? "returned \(status)"
        switch status {
        case 401:
            return ServerRequestError(
                .refused,
                problem: Problem(
                    address.url, detail: message, suggestion: "set SYMBOLIST_TOKEN to a valid token"
                ))
        case 403:
            return ServerRequestError(
                .refused,
                problem: Problem(
                    address.url, detail: message, suggestion: "use a token that allows it"))
        case 300..<400:
            return ServerRequestError(
                .failed(status: status),
                problem: Problem(
                    address.url, detail: message, suggestion: "use the address it redirects to")
            )
        case 404:
            return ServerRequestError(
                .failed(status: status),
                problem: Problem(address.url, detail: message, suggestion: "check --server"))
        default:
            // A response without a message may come from another kind of server.
            let suggestion = text("message") == nil ? "check --server" : nil
            return ServerRequestError(
                .failed(status: status),
                problem: Problem(address.url, detail: message, suggestion: suggestion))
        }
    }

    /// Returns a member of the error in the response, as one line of bounded length.
    private func text(_ key: String) -> String? {
        let text = JSONDocument(body).root?["error"]?[key]?.string
        guard let text, !text.isEmpty else { return nil }
        return String(text.prefix(500)).replacing("\n", with: " ")
    }
}
