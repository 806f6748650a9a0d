import CallStacks
import Ingest
import Synchronization
import Testing

@Suite("Dead letters that are sent again on request")
struct DeadLetterResenderTests {
    /// An exporter whose responses depend on the body.
    private final class Backend: Exporter {
        let name: String
        let batchBytesLimit = 1 << 20
        private let bodies = Mutex<[[UInt8]]>([])
        private let respond: @Sendable ([UInt8]) -> ExportOutcome

        init(_ name: String, respond: @escaping @Sendable ([UInt8]) -> ExportOutcome) {
            self.name = name
            self.respond = respond
        }

        var received: [[UInt8]] { bodies.withLock(\.self) }

        func send(_ batch: ExportBatch) async -> ExportOutcome {
            bodies.withLock { $0.append(batch.body) }
            return respond(batch.body)
        }

        func run() async {}
    }

    private func letter(_ exporter: String, _ body: UInt8) -> DeadLetter {
        DeadLetter(
            id: 0, exporter: exporter, signal: .logs, refusal: UnixTime(rawValue: 0), reason: "400",
            recordCount: 1, body: [body])
    }

    @Test("an exporter without a response gets two letters, and the letters of others are sent")
    func unanswered() async throws {
        let flow = MemoryFlow()
        for body in UInt8(1)...3 { await flow.add(letter("down", body)) }
        await flow.add(letter("up", 4))
        let down = Backend("down") { _ in .timedOut(reason: "no response") }
        let up = Backend("up") { _ in taken }
        let attempts = try await DeadLetterResender(archive: flow, exporters: [down, up])
            .resend(nil)
        #expect(attempts.map(\.id) == [1, 2, 3, 4])
        let unsent = "not sent, after another failed: no response"
        #expect(attempts.map(\.failure) == ["no response", "no response", unsent, nil])
        #expect(down.received == [[1], [2]])
        #expect(up.received == [[4]])
        #expect(await flow.letters.map(\.id) == [1, 2, 3])
        #expect(await flow.released == [1, 2, 3])
    }

    @Test("a request sends a limited number, and the next one continues after them")
    func limit() async throws {
        let flow = MemoryFlow()
        let limit = DeadLetterResender.countLimit
        for _ in 0..<limit + 10 { await flow.add(letter("a", 0)) }
        let refusing = Backend("a") { _ in .refused(reason: "400", isForContent: true) }
        let resender = DeadLetterResender(archive: flow, exporters: [refusing])
        let first = try await resender.resend(nil)
        #expect(first.count == limit)
        let rest = try await resender.resend(nil, after: try #require(first.last).id)
        #expect(rest.map(\.id) == (1...10).map { Int64(limit + $0) })
    }

    @Test("named letters are sent in the order of their ids, however many do not exist")
    func named() async throws {
        let flow = MemoryFlow()
        for body in UInt8(1)...4 { await flow.add(letter("a", body)) }
        let backend = Backend("a") { _ in taken }
        let resender = DeadLetterResender(archive: flow, exporters: [backend])
        let ids = Set<Int64>([4, 2] + (1_000...1_500)).union([3])
        let attempts = try await resender.resend(ids, after: 2)
        #expect(attempts.map(\.id) == [3, 4])
        #expect(backend.received == [[3], [4]])
    }
}
