import AsyncHTTPClient
import ErrorDescriptions
import Foundation
import JSONText
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server, as this client speaks to it: each request with retries.
///
/// It must be closed with ``close()``.
public struct ServerConnection: Sendable {
    public let address: ServerAddress
    private let client: HTTPClient
    private let retry: RetryPolicy

    /// The longest answer that is read, in bytes.
    static let answerLimit = 64 << 20
    private static let connectSeconds: Int64 = 10

    /// - Parameters:
    ///   - timeoutSeconds: How long a request may make no progress.
    ///   - environment: Names a proxy, perhaps.
    public init(
        _ address: ServerAddress, retry: RetryPolicy, timeoutSeconds: Int,
        environment: [String: String]
    ) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: .seconds(Self.connectSeconds), read: .seconds(Int64(timeoutSeconds)),
                write: .seconds(Int64(timeoutSeconds))))
        // Retries are ours.
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

    /// Sends a request until it is answered, or not worth sending again.
    ///
    /// - Returns: The body of an answer that says that it was done.
    func send(_ request: ServerRequest) async throws -> [UInt8] {
        var number = 0
        while true {
            switch try await attempt(request) {
            case .done(let body): return body
            case .failed(let error): throw error
            case .again(let error, let wish):
                number += 1
                guard number <= retry.retryCount else { throw error }
                try await retry.sleep(retry.delay(beforeRetry: number, wish: wish))
            }
        }
    }

    /// How one sending of a request ended.
    private enum Attempt {
        case done([UInt8])
        case failed(ServerError)
        /// - wish: How long the server asks to wait.
        case again(ServerError, wish: Duration?)
    }

    private func attempt(_ request: ServerRequest) async throws -> Attempt {
        let answer: ServerAnswer
        do {
            answer = try await self.answer(to: request)
        } catch let error as UploadError {
            throw error
        } catch {
            try Task.checkCancellation()
            let what = Self.words(for: error)
            return .again(
                ServerError(
                    .unreachable, "\(address): \(what): check --server and the network"), wish: nil)
        }
        if answer.isSuccess { return .done(answer.body) }
        let error = answer.error(address)
        return RetryPolicy.isWorthRetrying(answer.status)
            ? .again(error, wish: answer.retryAfter) : .failed(error)
    }

    private func answer(to request: ServerRequest) async throws -> ServerAnswer {
        var sent = HTTPClientRequest(url: address.url(of: request.path, request.query))
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
                PackedFile.Pieces(file: file, onProgress: request.onProgress),
                length: .known(file.byteCount))
        }
        let response = try await client.execute(sent, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: Self.answerLimit)
        return ServerAnswer(
            status: Int(response.status.code), body: Array(body.readableBytesView),
            retryAfter: response.headers.first(name: "Retry-After").flatMap {
                Duration(retryAfter: $0, now: Date())
            })
    }

    /// Messages of the libraries below name types; these name what happened.
    private static func words(for error: any Error) -> String {
        switch error as? HTTPClientError {
        case .connectTimeout: return "does not answer"
        case .readTimeout, .deadlineExceeded: return "took too long to answer"
        case .writeTimeout: return "took too long to read"
        case .remoteConnectionClosed: return "closed the connection"
        default: break
        }
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else { return "host was not found" }
            return words(for: first.error)
        }
        if let error = error as? IOError {
            return error.errnoCode == ECONNREFUSED ? "refuses connections" : "connection broke"
        }
        return "cannot be reached (\(ErrorDescription(error)))"
    }
}

/// What a server answered.
private struct ServerAnswer {
    var status: Int
    var body: [UInt8]
    var retryAfter: Duration?

    var isSuccess: Bool { (200..<300).contains(status) }

    func error(_ address: ServerAddress) -> ServerError {
        let message = told("message").map { "answered \(status) (\($0))" } ?? "answered \(status)"
        switch status {
        case 401:
            return ServerError(
                .refused, "\(address): \(message): give a valid token in SYMBOLIST_TOKEN")
        case 403:
            return ServerError(
                .refused, "\(address): \(message): give a token that may do this")
        case 300..<400:
            return ServerError(
                .failed(status: status), "\(address): \(message): give the address that it moved to"
            )
        case 404:
            return ServerError(
                .failed(status: status), "\(address): \(message): check --server")
        default:
            // Who says nothing is perhaps another server.
            let next = told("message") == nil ? ": check --server" : ""
            return ServerError(
                .failed(status: status), "\(address): \(message)\(next)", code: told("code"))
        }
    }

    /// What it says itself of its error, in one line of bounded length.
    private func told(_ key: String) -> String? {
        let text = JSONDocument(body).root?["error"]?[key]?.string
        guard let text, !text.isEmpty else { return nil }
        return String(text.prefix(500)).replacing("\n", with: " ")
    }
}
