import Hummingbird
import HummingbirdCore
import NIOCore

/// A server with the HTTP stack and settings of the service that reads and discards request bodies:
/// the upper limit of what the machine can do.
///
///     Discard PORT [--count]
///
/// With `--count` it is the backend that the service exports to: it also counts log records, and
/// returns the counts from `GET /count`.
@main
enum Discard {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let port = Int(arguments[1]) else {
            throw UsageError()
        }
        let router =
            arguments.contains("--count") ? countingRouter(ReceivedCounts()) : discardingRouter()
        let application = Application(
            router: router,
            // Like the service.
            server: .http1(configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port), serverName: "discard",
                availableConnectionsDelegate: MaximumAvailableConnections(1_024)))
        try await application.runService()
    }

    private static func discardingRouter() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/health") { _, _ in "ok" }
        router.post("/v1/logs") { request, _ in
            for try await _ in request.body {}
            return HTTPResponse.Status.ok
        }
        return router
    }

    private static func countingRouter(_ counts: ReceivedCounts) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/health") { _, _ in "ok" }
        router.get("/count") { _, _ in counts.json }
        router.post("/v1/logs") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 30)
            let isPacked = request.headers[.contentEncoding] != nil
            counts.add(body, isPacked: isPacked)
            return HTTPResponse.Status.ok
        }
        return router
    }

    private struct UsageError: Error, CustomStringConvertible {
        var description: String { "usage: Discard PORT [--count]" }
    }
}
