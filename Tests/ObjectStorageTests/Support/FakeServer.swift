import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

/// An HTTP server whose responses a test decides, faults included. It runs on a thread of its own.
final class FakeServer: Sendable {
    struct Request: Sendable {
        var method: String
        /// The path with the query, as sent.
        var uri: String
        var headers: HTTPHeaders
        var body: [UInt8]

        func header(_ name: String) -> String? { headers.first(name: name) }
    }

    enum Reply: Sendable {
        case respond(Int, [String: String] = [:], body: [UInt8] = [])
        /// Announces the whole body, and closes the connection after its first bytes.
        case cut(Int, [String: String] = [:], body: [UInt8], after: Int)
        /// Closes the connection without a response.
        case hangUp
        /// Keeps the connection open without a response.
        case silence
        /// Sends the start of a response, and then a byte now and then.
        case drip(Int)
        /// Sends a body that never ends.
        case endless(Int)

        static func xml(_ status: Int, _ text: String, _ headers: [String: String] = [:]) -> Self {
            .respond(status, headers, body: Array(text.utf8))
        }

        static func error(
            _ status: Int, _ code: String, _ headers: [String: String] = [:]
        ) -> Self {
            .xml(status, "<Error><Code>\(code)</Code><Message>No.</Message></Error>", headers)
        }
    }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private let log = Log()
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel

    /// The requests so far, in order.
    var requests: [Request] { log.requests.withLock(\.self) }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// - Parameter reply: Returns the response to a request, with the number of requests before it.
    private init(_ reply: @escaping @Sendable (Request, Int) -> Reply) async throws {
        let log = log
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        FakeHandler { request in
                            let number = log.requests.withLock { requests in
                                requests.append(request)
                                return requests.count - 1
                            }
                            return reply(request, number)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// Runs a server while `body` works with it.
    static func run<Result>(
        _ reply: @escaping @Sendable (Request, Int) -> Reply,
        _ body: (FakeServer) async throws -> Result
    ) async throws -> Result {
        let server = try await FakeServer(reply)
        do {
            let result = try await body(server)
            try await server.group.shutdownGracefully()
            return result
        } catch {
            try await server.group.shutdownGracefully()
            throw error
        }
    }
}

extension FakeServer.Reply: CustomTestStringConvertible {
    /// A description that leaves out the bytes of long bodies.
    var testDescription: String {
        switch self {
        case .respond(let status, let headers, let body):
            "respond \(status) \(headers) \(String(decoding: body.prefix(100), as: UTF8.self))"
        case .cut(let status, _, _, let count): "cut \(status) after \(count)"
        case .hangUp: "hang up"
        case .silence: "silence"
        case .drip(let status): "drip \(status)"
        case .endless(let status): "endless \(status)"
        }
    }
}
