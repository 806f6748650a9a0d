import Decompression
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import OTLP
import Synchronization

/// An OTLP backend that records what it receives, and can be unreachable for a while.
final class Backend: Sendable {
    /// One received record, span or metric. One that is sent again is received several times.
    struct Copy: Sendable {
        var uid: String?
        var revision: Int64?
        var status: String?
        /// The whole record: equal numbers mean equal contents.
        var content: Int
        /// Its position among all copies.
        var number = 0
    }

    private struct State {
        var copies: [String: [Copy]] = [:]
        var uids: Set<String> = []
        var count = 0
        /// The content received for each record and revision, by its hash.
        var contents: [String: Int] = [:]
        var conflicts: Set<String> = []
        var damagedCount = 0
        var revisedCount = 0
        var stalledText: String?
    }

    private let server: RestartableServer
    private let state = Mutex(State())
    private let answer: @Sendable () async -> HTTPResponse.Status
    private let refuses: @Sendable ([UInt8]) -> Bool

    /// - Parameters:
    ///   - answer: Returns the response to a request that was read.
    ///   - refuses: Whether the response to a request body is 400.
    init(
        answer: @escaping @Sendable () async -> HTTPResponse.Status = { .ok },
        refusing refuses: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) throws {
        server = try RestartableServer()
        self.refuses = refuses
        self.answer = answer
    }

    var url: String { server.url }
    var port: Int { server.port }

    /// Starts listening.
    func start() async throws { try await server.start { try await self.response(to: $0) } }

    /// Stops listening.
    func stop() async { await server.stop() }

    private func response(to request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 26)
        var bytes = Array(body.readableBytesView)
        if request.headers[.contentEncoding] == "gzip" {
            bytes = try CompressedBody(bytes, coding: .gzip).inflated(limit: 1 << 28)
        }
        let isWhole = MessageWalk.requests[request.uri.path].map {
            MessageWalk.accepts(bytes, as: $0)
        }
        if isWhole == false { state.withLock { $0.damagedCount += 1 } }
        if isStalled(bytes) { return Response(status: .serviceUnavailable) }
        if refuses(bytes) { return Response(status: .badRequest) }
        try take(bytes, at: request.uri.path)
        return Response(status: await answer())
    }

    /// Makes requests that contain a text get 503, or none.
    func stall(on text: String?) { state.withLock { $0.stalledText = text } }

    private func isStalled(_ bytes: [UInt8]) -> Bool {
        guard let text = state.withLock(\.stalledText) else { return false }
        return bytes.firstRange(of: Array(text.utf8)) != nil
    }

    private func take(_ bytes: [UInt8], at path: String) throws {
        switch path {
        case "/v1/logs": try takeLogs(bytes)
        case "/v1/traces": try takeSpans(bytes)
        case "/v1/metrics": try takeMetrics(bytes)
        default: break
        }
    }

    private func takeLogs(_ bytes: [UInt8]) throws {
        let request = try ExportLogsServiceRequest(decoding: bytes, as: .protobuf)
        for resource in request.resourceLogs {
            for scope in resource.scopeLogs {
                for record in scope.logRecords {
                    let attributes = record.attributes
                    add(
                        Copy(
                            uid: attributes["log.record.uid"]?.string,
                            revision: attributes["symbolist.revision"]?.integer,
                            status: attributes["symbolist.status"]?.string,
                            content: Self.hash(record, scope.scope, resource.resource)),
                        of: attributes[Requests.idKey]?.string)
                }
            }
        }
    }

    private func takeSpans(_ bytes: [UInt8]) throws {
        let request = try ExportTraceServiceRequest(decoding: bytes, as: .protobuf)
        for resource in request.resourceSpans {
            for scope in resource.scopeSpans {
                for span in scope.spans {
                    add(
                        Copy(content: Self.hash(span, scope.scope, resource.resource)),
                        of: span.attributes[Requests.idKey]?.string)
                }
            }
        }
    }

    private func takeMetrics(_ bytes: [UInt8]) throws {
        let request = try ExportMetricsServiceRequest(decoding: bytes, as: .protobuf)
        for resource in request.resourceMetrics {
            for scope in resource.scopeMetrics {
                for metric in scope.metrics {
                    add(
                        Copy(content: Self.hash(metric, scope.scope, resource.resource)),
                        of: metric.name)
                }
            }
        }
    }

    private static func hash(
        _ item: some Hashable, _ scope: InstrumentationScope, _ resource: Resource
    ) -> Int {
        [AnyHashable(item), AnyHashable(scope), AnyHashable(resource)].hashValue
    }

    private func add(_ copy: Copy, of id: String?) {
        state.withLock { state in
            if let uid = copy.uid { state.uids.insert(uid) }
            state.count += 1
            if let revision = copy.revision, revision > 1 { state.revisedCount += 1 }
            if let name = id ?? copy.uid {
                let key = "\(name), uid \(copy.uid ?? "none"), revision \(copy.revision ?? 0)"
                let known = state.contents.updateValue(copy.content, forKey: key)
                if let known, known != copy.content { state.conflicts.insert(key) }
            }
            guard let id else { return }
            var copy = copy
            copy.number = state.count
            state.copies[id, default: []].append(copy)
        }
    }

    /// Returns the received copies of a record, in order.
    func copies(of id: String) -> [Copy] { state.withLock { $0.copies[id] ?? [] } }

    /// The number of received records, spans and metrics, including copies.
    var count: Int { state.withLock(\.count) }

    /// The number of received revisions after the first.
    var revisedCount: Int { state.withLock(\.revisedCount) }

    /// The number of bodies that were not complete messages.
    var damagedCount: Int { state.withLock(\.damagedCount) }

    /// The records and revisions that were received with two contents.
    var conflicts: Set<String> { state.withLock(\.conflicts) }

    /// The identifiers that the service assigned.
    var uids: Set<String> { state.withLock(\.uids) }

    /// Returns those of the given records that were not received.
    func missing(of ids: some Sequence<String>) -> Set<String> {
        state.withLock { state in Set(ids.filter { state.copies[$0] == nil }) }
    }

    /// Returns those of the given records that were never received with all their symbols.
    func rawOnes(of ids: some Sequence<String>) -> Set<String> {
        state.withLock { state in
            Set(
                ids.filter { id in
                    !(state.copies[id] ?? []).contains { $0.status == "symbolicated" }
                })
        }
    }

    /// Returns those of the given records that were received twice with one revision.
    func repeated(of ids: some Sequence<String>) -> Set<String> {
        state.withLock { state in
            Set(
                ids.filter { id in
                    let revisions = (state.copies[id] ?? []).map(\.revision)
                    return Set(revisions).count != revisions.count
                })
        }
    }

    /// Returns the received revisions of those of the given records that lack an earlier one.
    func incomplete(of ids: some Sequence<String>) -> [String: [Int64]] {
        state.withLock { state in
            var incomplete: [String: [Int64]] = [:]
            for id in ids {
                let revisions = (state.copies[id] ?? []).compactMap(\.revision)
                if Int64(Set(revisions).count) != revisions.max() ?? 0 {
                    incomplete[id] = revisions
                }
            }
            return incomplete
        }
    }

    /// Returns those of the given records whose copies have different identifiers.
    func ambiguous(of ids: some Sequence<String>) -> Set<String> {
        state.withLock { state in
            Set(ids.filter { Set((state.copies[$0] ?? []).map(\.uid)).count != 1 })
        }
    }
}
