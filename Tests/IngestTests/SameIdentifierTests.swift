import CallStacks
import EmbeddedDatabase
import OTLP
import TestSupport
import Testing

@testable import Ingest

@Suite("Records of one identifier")
struct SameIdentifierTests {
    @Test(
        "are each sent, archived and revised, held or not, in one request or several",
        arguments: [0, 600], [[3], [2, 1], [1, 1, 1]])
    func each(hold: Int64, requests: [Int]) async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = hold
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        var number = 0
        for count in requests {
            let records = try (0..<count).map { try Self.crash("one", number: number + $0) }
            number += count
            try await rig.service.gateway.accept(
                .logs, WorkerTests.request(records).encoded(as: .protobuf))
        }
        try await rig.drain()
        let raw: [Int64?] = hold == 0 ? [1, 1, 1] : []
        #expect(try await rig.records().map { $0.attributes["symbolist.revision"]?.integer } == raw)
        #expect(try await rig.database.diagnostics(DiagnosticQuery()).count == 3)
        let missing = try await rig.database.missingImages(MissingQuery())
        #expect(missing.allSatisfy { $0.waitingCount == 3 })

        rig.symbols.arrive()
        _ = try await rig.symbolsArrived(of: missing.map(\.image))
        rig.clock.advance(seconds: 2)
        let next = try await rig.restarted()
        #expect(try await next.lateSymbols.enqueueDue() == 3)
        try await next.worker.drain()
        let sent = try await Self.records(of: next, after: Int64(requests.count))
        #expect(Set(sent.map(Self.number)) == [0, 1, 2])
        #expect(sent.count == 3)
        let revision: Int64 = hold == 0 ? 2 : 1
        #expect(sent.allSatisfy { $0.attributes["symbolist.revision"]?.integer == revision })
        #expect(sent.allSatisfy { $0.attributes["symbolist.status"]?.string == "symbolicated" })
        #expect(sent.allSatisfy { $0.attributes["log.record.uid"]?.string == "one" })
    }

    @Test(
        "are exported with the client's text, whatever it is",
        arguments: ["a\0b", String(repeating: "x", count: 70_000), "é\u{202E}\n", "1:0"])
    func oddTexts(uid: String) async throws {
        let rig = try await IngestRig()
        for number in 0..<2 {
            let request = WorkerTests.request([try Self.crash(uid, number: number)])
            try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        }
        try await rig.drain()
        let sent = try await rig.records()
        #expect(sent.map { $0.attributes["log.record.uid"]?.string } == [uid, uid])
        let rows = try await rig.database.diagnostics(DiagnosticQuery())
        try #require(rows.count == 2)
        // A record whose identifier is too long for a list has an identifier of the service there.
        let isListed = uid.utf8.count <= RecordUID.listedLimit
        #expect(rows.allSatisfy { isListed == ($0.uid == uid) })
        #expect(Set(rows.map(\.uid)).count == (isListed ? 1 : 2))
        #expect(try await rig.database.diagnostic(uid: rows[0].uid)?.address == rows[0].address)
    }

    @Test("are listed by one of ours if longer than the limit")
    func limit() {
        var numbers = SplitMix64(seed: 1)
        let own = RecordUID(.random(using: &numbers), position: 0)
        let longest = String(repeating: "x", count: RecordUID.listedLimit)
        #expect(own.listed(insteadOf: longest) == longest)
        #expect(own.listed(insteadOf: longest + "x") == own.text)
        #expect(own.listed(insteadOf: nil) == own.text)
    }

    @Test("in a revision entry of an earlier version are sent again")
    func earlierEntry() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        let request = WorkerTests.request([try Self.crash("one", number: 0)])
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        rig.symbols.arrive()
        var numbers = SplitMix64(seed: 1)
        let entry = JournalDraft(
            key: .random(using: &numbers), arrival: rig.clock.now, kind: .revision,
            body: Array("one".utf8))
        _ = try await rig.database.append([entry])
        try await rig.drain()
        let sent = try await rig.records(after: 1)
        #expect(sent.map { $0.attributes["symbolist.revision"]?.integer } == [2])
    }

    @Test("references to diagnostics survive encoding")
    func references() {
        for address in [
            RecordAddress(entry: 1, position: 0), RecordAddress(entry: .max, position: 70_000),
        ] {
            #expect(RevisionReference(RevisionReference.address(address).body) == .address(address))
            #expect(RecordAddress(address.description) == address)
        }
        for text in ["", "0:1", "1:", ":1", "1:-1", "1:2:3", "a:b", "1"] {
            #expect(RecordAddress(text) == nil)
        }
        #expect(RevisionReference(Array("17 bytes of a uid".utf8)) == .uid("17 bytes of a uid"))
    }

    static func crash(_ uid: String, number: Int) throws -> OTLP.LogRecord {
        let request = try IngestRig.request("objc-block.otlp.json")
        var record = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        record.attributes["log.record.uid"] = .stringValue(uid)
        record.attributes["test.number"] = .intValue(Int64(number))
        return record
    }

    private static func number(_ record: OTLP.LogRecord) -> Int64? {
        record.attributes["test.number"]?.integer
    }

    private static func records(
        of flow: IngestFlow, after number: Int64
    ) async throws -> [OTLP.LogRecord] {
        try await flow.worker.results(after: number, bytes: .max, for: "test")
            .flatMap(\.batches).flatMap { try IngestRig.records(in: $0.body) }
    }
}
