import Decompression
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import NIOCore
import NIOSSL
import TestSupport

/// A real HTTP server with configurable responses.
enum HTTPReceiver {
    struct Received: Sendable {
        var path: String
        var headers: HTTPFields
        /// The body as sent.
        var body: [UInt8]

        func header(_ name: String) -> String? {
            HTTPField.Name(name).flatMap { headers[$0] }
        }

        /// Returns the decompressed body.
        func plainBody() throws -> [UInt8] {
            guard header("content-encoding") == "gzip" else { return body }
            return try CompressedBody(body, coding: .gzip).inflated(limit: 1 << 26)
        }
    }

    struct Reply: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    /// Runs the server as long as `use` takes, which is given its port.
    static func run<Result: Sendable>(
        port: Int = 0, tls: TLSConfiguration? = nil,
        answer: @escaping @Sendable (Received) async -> Reply,
        use: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> Result {
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let plaintext = HTTPServerBuilder { HandledChannel(HTTP1Channel(responder: $0)) }
        let server = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                try await response(to: request, answer)
            },
            server: try tls.map { try .tls(plaintext, tlsConfiguration: $0) } ?? plaintext,
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { found.yield($0.localAddress?.port ?? 0) },
            logger: quietLogger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: ServerThread()) { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else { throw CancellationError() }
            let result = try await use(port)
            group.cancelAll()
            while let ended = await group.nextResult() { _ = ended }
            return result
        }
    }

    private static func response(
        to request: Request, _ answer: @Sendable (Received) async -> Reply
    ) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 26)
        let received = Received(
            path: request.uri.description, headers: request.headers,
            body: Array(body.readableBytesView))
        let reply = await answer(received)
        var headers = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: .init(code: reply.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: reply.body)))
    }
}
