import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Synchronization
import TestSupport

/// A debuginfod server with a few files, on a local port.
final class DebuginfodServer: Sendable {
    enum Answer: Sendable {
        case file([UInt8])
        case status(Int)
        /// A redirect to another path of this server.
        case redirect(String)
        /// No response until the client disconnects.
        case silence
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [String] = []
        var sizeLimits: [String?] = []
        var tokens: [String?] = []
    }

    private let state = Mutex(State())

    /// The requested paths, in order.
    var requests: [String] { state.withLock { $0.requests } }

    /// The size limits that clients sent.
    var sizeLimits: [String?] { state.withLock { $0.sizeLimits } }

    /// The credentials that clients sent.
    var tokens: [String?] { state.withLock { $0.tokens } }

    /// Sets the response for a path; other paths respond with 404.
    func answer(_ path: String, _ answer: Answer) { state.withLock { $0.answers[path] = answer } }

    /// Runs the server while `body` works with it.
    func serve(_ body: @Sendable (String) async throws -> Void) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.get("/**") { request, _ in try await self.response(to: request) }
        let application = Application(
            router: router,
            server: HTTPServerBuilder { HandledChannel(HTTP1Channel(responder: $0)) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                continuation.yield(channel.localAddress?.port ?? 0)
                continuation.finish()
            },
            logger: Logger(label: "debuginfod") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: ServerThread()) { try await application.run() }
            for await port in ports { try await body("http://127.0.0.1:\(port)") }
            group.cancelAll()
        }
    }

    private func response(to request: Request) async throws -> Response {
        let path = request.uri.path
        let limit = HTTPField.Name("X-DEBUGINFOD-MAXSIZE").flatMap { request.headers[$0] }
        let answer = state.withLock { state in
            state.requests.append(path)
            state.sizeLimits.append(limit)
            state.tokens.append(request.headers[.authorization])
            return state.answers[path] ?? .status(404)
        }
        switch answer {
        case .file(let bytes):
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .status(let code): return Response(status: .init(code: code))
        case .redirect(let path):
            return Response(status: .found, headers: [.location: path])
        case .silence:
            try await Task.sleep(for: .seconds(3_600))
            return Response(status: .internalServerError)
        }
    }
}
