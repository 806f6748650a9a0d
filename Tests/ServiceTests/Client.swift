import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// A client of one service.
struct Client: Sendable {
    struct Reply: Sendable {
        var status: Int
        var retryAfter: String?
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        func object() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
        }
    }

    let port: Int

    /// Fails at once without a listener.
    private static let shared = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        return HTTPClient(configuration: configuration)
    }()

    func get(_ path: String, token: String? = nil) async throws -> Reply {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        return try await reply(to: request)
    }

    func post(_ path: String, _ body: [UInt8], type: String) async throws -> Reply {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .POST
        request.headers.add(name: "content-type", value: type)
        request.body = .bytes(body)
        return try await reply(to: request)
    }

    /// Sends log records as protobuf.
    func send(logs body: [UInt8]) async throws -> Reply {
        try await post("/v1/logs", body, type: "application/x-protobuf")
    }

    /// Sends log records until they are accepted: a busy service may ask for that with 503, and the
    /// first such response is printed.
    func deliver(
        logs body: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var reply = try await send(logs: body)
        if reply.status == 503 {
            print("busy: \(reply.text)")
            _ = try await eventually {
                reply = try await send(logs: body)
                return reply.status != 503
            }
        }
        #expect(reply.status == 200, "\(reply.text)", sourceLocation: sourceLocation)
    }

    func upload(_ bytes: [UInt8]) async throws -> Reply {
        try await post("/v1/symbols", bytes, type: "application/octet-stream")
    }

    /// If the service responds before it has read the body, the library may report a short body
    /// instead of the response. The request is not stored then, and is sent again.
    private func reply(to request: HTTPClientRequest) async throws -> Reply {
        for _ in 0..<Self.lostReplyLimit {
            do {
                return try await exchange(request)
            } catch let error as HTTPClientError where error == .bodyLengthMismatch {}
        }
        return try await exchange(request)
    }

    private static let lostReplyLimit = 4

    private func exchange(_ request: HTTPClientRequest) async throws -> Reply {
        let response = try await Self.shared.execute(request, timeout: .seconds(600))
        let body = try await response.body.collect(upTo: 1 << 26)
        return Reply(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "retry-after"),
            body: Array(body.readableBytesView))
    }
}
