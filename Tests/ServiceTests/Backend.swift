import Decompression
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OTLP
import Synchronization

/// An OTLP backend that remembers what it received, and can be gone for a while.
final class Backend: Sendable {
    /// One record as it was received; records that are sent again are received several times.
    struct Copy: Sendable {
        var uid: String?
        var revision: Int64?
        var status: String?
        /// Its place among all copies.
        var number: Int
    }

    private struct State {
        var copies: [String: [Copy]] = [:]
        var uids: Set<String> = []
        var count = 0
        var server: Task<Void, any Error>?
    }

    let port: Int
    private let state = Mutex(State())
    private let answer: @Sendable () async -> HTTPResponse.Status

    /// - Parameter answer: What it says to a request that it has taken in.
    init(answer: @escaping @Sendable () async -> HTTPResponse.Status = { .ok }) throws {
        port = try freePort()
        self.answer = answer
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Begins to listen.
    func start() async throws {
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let server = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                try await self.response(to: request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in isReady.yield() },
            logger: Logger(label: "backend") { _ in SwiftLogNoOpLogHandler() })
        let task = Task {
            defer { isReady.finish() }
            try await server.run()
        }
        for await _ in ready { break }
        state.withLock { $0.server = task }
    }

    /// Is gone: nobody listens any more.
    func stop() async {
        let server = state.withLock { $0.server.take() }
        server?.cancel()
        _ = await server?.result
    }

    private func response(to request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 26)
        var bytes = Array(body.readableBytesView)
        if request.headers[.contentEncoding] == "gzip" {
            bytes = try CompressedBody(bytes, coding: .gzip).inflated(limit: 1 << 28)
        }
        if request.uri.path == "/v1/logs" { try take(bytes) }
        return Response(status: await answer())
    }

    private func take(_ bytes: [UInt8]) throws {
        let records = try ExportLogsServiceRequest(decoding: bytes, as: .protobuf).resourceLogs
            .flatMap(\.scopeLogs).flatMap(\.logRecords)
        state.withLock { state in
            for record in records {
                let attributes = record.attributes
                let uid = attributes["log.record.uid"]?.string
                if let uid { state.uids.insert(uid) }
                state.count += 1
                guard let id = attributes[Requests.idKey]?.string else { continue }
                state.copies[id, default: []].append(
                    Copy(
                        uid: uid, revision: attributes["symbolist.revision"]?.integer,
                        status: attributes["symbolist.status"]?.string, number: state.count))
            }
        }
    }

    /// What was received of a record, in order.
    func copies(of id: String) -> [Copy] { state.withLock { $0.copies[id] ?? [] } }

    /// How many records were received, each as often as it was.
    var count: Int { state.withLock(\.count) }

    /// The identifiers that the service gave.
    var uids: Set<String> { state.withLock(\.uids) }

    /// Those of some records that were not received.
    func missing(of ids: some Sequence<String>) -> Set<String> {
        state.withLock { state in Set(ids.filter { state.copies[$0] == nil }) }
    }

    /// Of some records those whose copies do not have one identifier.
    func ambiguous(of ids: some Sequence<String>) -> Set<String> {
        state.withLock { state in
            Set(ids.filter { Set((state.copies[$0] ?? []).map(\.uid)).count != 1 })
        }
    }
}
