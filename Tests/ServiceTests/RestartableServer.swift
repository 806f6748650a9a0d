import HTTPService
import Hummingbird
import HummingbirdCore
import Logging
import Synchronization
import TestSupport

/// An HTTP server on a free port, which can be stopped and started again.
final class RestartableServer: Sendable {
    typealias Responder = @Sendable (Request) async throws -> Response

    let port: Int
    private let task = Mutex<Task<Void, any Error>?>(nil)

    init() throws { port = try freePort() }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Starts listening.
    ///
    /// - Throws: The error of the server if it cannot listen.
    func start(_ responder: @escaping Responder) async throws {
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let server = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                try await responder(request)
            },
            server: HTTPServerBuilder { HandledChannel(HTTP1Channel(responder: $0)) },
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in isReady.yield() },
            logger: Logger(label: "server") { _ in SwiftLogNoOpLogHandler() })
        let running = Task(executorPreference: ServerThread()) {
            defer { isReady.finish() }
            try await server.run()
        }
        var events = ready.makeAsyncIterator()
        guard await events.next() != nil else { return try await running.value }
        task.withLock { $0 = running }
    }

    /// Stops listening.
    func stop() async {
        let running = task.withLock { $0.take() }
        running?.cancel()
        _ = await running?.result
    }
}
