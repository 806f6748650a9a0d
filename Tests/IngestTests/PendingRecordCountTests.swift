import CallStacks
import EmbeddedDatabase
import OTLP
import TestSupport
import Testing

@testable import Ingest

@Suite("Pending records")
struct PendingRecordCountTests {
    @Test("records of every signal are counted, and an unreadable body is one record")
    func signals() async throws {
        let rig = try await IngestRig()
        _ = try await rig.database.cursor(of: "slow")
        var spans = ExportTraceServiceRequest()
        spans.resourceSpans = [ResourceSpans()]
        spans.resourceSpans[0].scopeSpans = [ScopeSpans(), ScopeSpans()]
        spans.resourceSpans[0].scopeSpans[0].spans = [Span(), Span()]
        spans.resourceSpans[0].scopeSpans[1].spans = [Span()]
        let logs = WorkerTests.request([OTLP.LogRecord(), OTLP.LogRecord()])
        try await rig.append(.logs, logs.encoded(as: .protobuf))
        try await rig.append(.traces, spans.encoded(as: .protobuf))
        try await rig.append(.logs, [0xff])
        try await rig.append(.metricKit, Array("{}".utf8))
        let count = try await PendingRecordCount(for: "slow", in: rig.database)
        #expect(count.count == 2 + 3 + 1 + 1)
        #expect(!count.isLowerBound)
    }

    @Test("only entries after the cursor count")
    func cursor() async throws {
        let rig = try await IngestRig()
        _ = try await rig.database.cursor(of: "slow")
        for _ in 0..<3 { try await rig.append(.metricKit, Array("{}".utf8)) }
        try await rig.database.advance("slow", to: 2)
        #expect(try await PendingRecordCount(for: "slow", in: rig.database).count == 1)
        try await rig.database.advance("slow", to: 3)
        #expect(try await PendingRecordCount(for: "slow", in: rig.database).count == 0)
    }

    @Test("beyond the limit of entries the count is a lower bound", arguments: [0, 1])
    func limit(excess: Int) async throws {
        let rig = try await IngestRig()
        _ = try await rig.database.cursor(of: "slow")
        let limit = PendingRecordCount.entryLimit
        var numbers = SplitMix64(seed: 1)
        let drafts = (0..<(limit - 1 + excess)).map { _ in
            JournalDraft(
                key: .random(using: &numbers), arrival: rig.clock.now, kind: .metricKit, body: [1]
            )
        }
        _ = try await rig.database.append(drafts)
        let count = try await PendingRecordCount(for: "slow", in: rig.database)
        #expect(count.count == Int64(drafts.count))
        #expect(count.isLowerBound == (excess == 1))
    }
}

extension IngestRig {
    fileprivate func append(_ kind: EntryKind, _ body: [UInt8]) async throws {
        var generator = SystemRandomNumberGenerator()
        _ = try await database.append([
            JournalDraft(
                key: .random(using: &generator), arrival: clock.now, kind: kind, body: body)
        ])
    }
}
