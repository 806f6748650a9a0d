import CallStacks
import EmbeddedDatabase
import OTLP
import Testing

@testable import Ingest

@Suite("Revisions")
struct RevisionTests {
    @Test("a revision symbolicates the record at its address alone", arguments: [true, false])
    func alone(isPayload: Bool) async throws {
        let rig = try await IngestRig(hasSymbols: false)
        let recordCount = try await Self.send(isPayload: isPayload, to: rig)
        let requestCount = rig.symbols.requestCount
        #expect(requestCount > recordCount)
        rig.symbols.arrive()
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        _ = try await rig.symbolsArrived(of: images)
        rig.clock.advance(seconds: 2)
        #expect(try await rig.service.lateSymbols.enqueueDue() == recordCount)
        try await rig.drain()
        #expect(rig.symbols.requestCount == 2 * requestCount)
        let revisions = try await rig.records(after: 1)
        #expect(
            revisions.map { $0.attributes["symbolist.revision"]?.integer }
                == Array(repeating: 2, count: recordCount))
        let first = try await rig.records().filter { $0.attributes["log.record.uid"] != nil }
            .prefix(recordCount)
        #expect(
            revisions.map { $0.attributes["log.record.uid"] }
                == first.map { $0.attributes["log.record.uid"] })
    }

    @Test("entries beyond the bytes of a run are read alone, with the same result")
    func sources() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        let recordCount = try await Self.send(isPayload: false, to: rig)
        let diagnostics = try await rig.database.diagnostics(DiagnosticQuery())
        var numbers = SystemRandomNumberGenerator()
        let run = diagnostics.map { diagnostic in
            JournalEntry(
                number: 9,
                draft: JournalDraft(
                    key: .random(using: &numbers), arrival: rig.clock.now, kind: .revision,
                    body: RevisionReference.address(diagnostic.address).body))
        }
        rig.symbols.arrive()
        let processor = rig.service.worker.processor
        var results: [[ExportBatch]] = []
        for bytes in [0, Int.max] {
            let sources = try await RevisionSources(of: run, for: processor, bytes: bytes)
            #expect((sources.records(ofEntry: 1) == nil) == (bytes == 0))
            var batches: [ExportBatch] = []
            for entry in run {
                batches += try await processor.process(entry, .first, from: sources)
                    .exportable.batches
            }
            results.append(batches)
        }
        #expect(results[0].count == recordCount)
        #expect(results[0].map(\.body) == results[1].map(\.body))
    }

    @Test("a revision without new information stores the sampled stacks, and exports nothing")
    func stacks() async throws {
        let rig = try await IngestRig()
        let payload = try IngestRig.fixture("index-rebuild.hang.json")
        _ = try await rig.service.gateway.accept(payloads: [payload])
        try await rig.drain()
        let hang = try #require(try await rig.database.diagnostics(DiagnosticQuery()).first)
        let query = FlameQuery(.group(fingerprint: hang.fingerprint, app: hang.app))
        let before = try await rig.database.sampledStackIDs(query)
        #expect(before.count == 1)
        var numbers = SystemRandomNumberGenerator()
        let entry = try #require(
            try await rig.database.append([
                JournalDraft(
                    key: .random(using: &numbers), arrival: rig.clock.now, kind: .revision,
                    body: RevisionReference.address(hang.address).body)
            ]).compactMap(\.self).last)
        try await rig.drain()
        let after = try await rig.database.sampledStackIDs(query)
        #expect(after.count == 1 && after != before)
        #expect(try await rig.records(after: entry - 1).isEmpty)
    }

    @Test("a revision of an address without a diagnostic exports nothing")
    func unknownAddress() async throws {
        let rig = try await IngestRig()
        _ = try await Self.send(isPayload: false, to: rig)
        var numbers = SystemRandomNumberGenerator()
        let body = RevisionReference.address(RecordAddress(entry: 1, position: 99)).body
        _ = try await rig.database.append([
            JournalDraft(
                key: .random(using: &numbers), arrival: rig.clock.now, kind: .revision, body: body
            )
        ])
        try await rig.drain()
        #expect(try await rig.records(after: 1).isEmpty)
    }

    /// Sends an entry with several diagnostics, between records without one.
    ///
    /// - Returns: The number of diagnostics.
    private static func send(isPayload: Bool, to rig: IngestRig) async throws -> Int {
        if isPayload {
            let payload = try IngestRig.fixture("several.payload.json")
            _ = try await rig.service.gateway.accept(payloads: [payload])
        } else {
            let crash = try IngestRig.request("objc-block.otlp.json")
                .resourceLogs[0].scopeLogs[0].logRecords[0]
            let request = WorkerTests.request([crash, OTLP.LogRecord(), crash, crash])
            try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        }
        try await rig.drain()
        return try await rig.database.diagnostics(DiagnosticQuery()).count
    }
}
