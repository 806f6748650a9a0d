import CallStacks
import EmbeddedDatabase
import Foundation
import Logging
import OTLP
import Problems
import ServiceLifecycle
import Synchronization
import Testing

@testable import Ingest

/// A run is stored in several commits, so that requests are stored in between.
@Suite("Commits of a run")
struct RunCommitTests {
    private func processed(_ number: Int64, diagnostics: Int) -> ProcessedEntry {
        var generator = SystemRandomNumberGenerator()
        let draft = JournalDraft(
            key: .random(using: &generator), arrival: UnixTime(rawValue: 1), kind: .logs,
            body: [])
        let entry = JournalEntry(number: number, draft: draft)
        var processed = ProcessedEntry(of: entry, [])
        processed.diagnostics = (0..<diagnostics).map { position in
            DiagnosticRecord(
                uid: "", address: RecordAddress(entry: number, position: position),
                arrival: UnixTime(rawValue: 1), kind: .crash, status: .raw, fingerprint: "")
        }
        return processed
    }

    private func parts(_ counts: [Int], of count: Int) -> [[Int64]] {
        let processed = counts.enumerated().map { self.processed(Int64($0) + 1, diagnostics: $1) }
        return WorkerRun(
            entries: [], waitingCount: 0, processed: processed, symbolsSeen: 0, start: .now
        ).parts(ofDiagnostics: count).map { $0.map(\.exportable.number) }
    }

    @Test("a part ends with the entry that fills it, and the last one with the run")
    func parts() {
        #expect(parts([1, 1, 1, 1, 1], of: 2) == [[1, 2], [3, 4], [5]])
        #expect(parts([0, 5, 0, 1, 1, 0], of: 2) == [[1, 2], [3, 4, 5], [6]])
        #expect(parts([0, 0, 0], of: 2) == [[1, 2, 3]])
        #expect(parts([3, 4], of: .max) == [[1, 2]])
        #expect(parts([], of: 2) == [])
    }

    @Test("the embedded database divides a run, unless it is large")
    func divided() async throws {
        let database = try await IngestRig().database
        #expect(database.diagnosticsPerCommit(inRunOf: 111) == 12)
        #expect(database.diagnosticsPerCommit(inRunOf: 112) == .max)
    }

    /// The number of diagnostics in a run, which the embedded database stores in several commits.
    private static let count = 30

    @Test("after a conflict, what was stored is exported once, and the rest is processed again")
    func conflict() async throws {
        let rig = try await rigWithArrivedSymbols()
        let commitCount = Mutex(0)
        let flow = try await rig.restarted(
            journal: FailingJournal(
                inner: rig.database,
                beforeCommit: { () throws(JournalError) in
                    let number = commitCount.withLock { count in
                        count += 1
                        return count
                    }
                    if number == 2 {
                        throw JournalError(.conflict, Problem("journal", detail: "changed"))
                    }
                }))
        #expect(try await flow.lateSymbols.enqueueDue() == Self.count)
        try await flow.worker.drain()
        #expect(commitCount.withLock(\.self) > 3)
        let revisions = try await sent(by: flow, after: Int64(Self.count))
        #expect(revisions.values.allSatisfy { $0 == [2] })
        #expect(revisions.count == Self.count)
    }

    @Test("a commit whose confirmation is lost is exported once")
    func lostConfirmation() async throws {
        let rig = try await rigWithArrivedSymbols()
        let isConfirmed = Mutex(false)
        let flow = try await rig.restarted(
            journal: FailingJournal(
                inner: rig.database,
                afterCommit: { () throws(JournalError) in
                    let wasConfirmed = isConfirmed.withLock { isConfirmed in
                        defer { isConfirmed = true }
                        return isConfirmed
                    }
                    if !wasConfirmed {
                        throw JournalError(.other, Problem("database", detail: "connection lost"))
                    }
                }))
        #expect(try await flow.lateSymbols.enqueueDue() == Self.count)
        try await flow.worker.drain()
        let revisions = try await sent(by: flow, after: Int64(Self.count))
        #expect(revisions.values.allSatisfy { $0 == [2] })
        #expect(revisions.count == Self.count)
    }

    @Test(
        "a worker that stops leaves its entries to the next start if the journal keeps failing",
        .timeLimit(.minutes(1)), arguments: [JournalError.Reason.other, .unavailable])
    func stopping(reason: JournalError.Reason) async throws {
        let rig = try await IngestRig()
        let request = try IngestRig.request("objc-block.otlp.json").encoded(as: .protobuf)
        try await rig.service.gateway.accept(.logs, request)
        let flow = try await rig.restarted(
            journal: FailingJournal(
                inner: rig.database,
                beforeCommit: { () throws(JournalError) in
                    throw JournalError(reason, Problem("database", detail: "cannot connect"))
                }))
        let group = ServiceGroup(services: [flow.worker], logger: Logger(label: "test"))
        async let run: Void = group.run()
        await group.triggerGracefulShutdown()
        try await run
        let next = try await rig.restarted()
        try await next.worker.drain()
        let batches = try await next.worker.results(after: 0, bytes: .max, for: "test").flatMap(
            \.batches)
        #expect(batches.count == 1)
    }

    /// Returns a rig with diagnostics whose symbols have arrived.
    private func rigWithArrivedSymbols() async throws -> IngestRig {
        let rig = try await IngestRig(hasSymbols: false)
        let request = try IngestRig.request("objc-block.otlp.json").encoded(as: .protobuf)
        for _ in 0..<Self.count { try await rig.service.gateway.accept(.logs, request) }
        try await rig.drain()
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        rig.symbols.arrive()
        #expect(try await rig.symbolsArrived(of: images) > 0)
        rig.clock.advance(seconds: 2)
        return rig
    }

    /// Returns the revisions of each record that a flow exports after an entry.
    private func sent(by flow: IngestFlow, after number: Int64) async throws -> [String: [Int64]] {
        var revisions: [String: [Int64]] = [:]
        for batch in try await flow.worker.results(after: number, bytes: .max, for: "test").flatMap(
            \.batches)
        {
            for record in try IngestRig.records(in: batch.body) {
                let uid = record.attributes["log.record.uid"]?.string ?? ""
                revisions[uid, default: []].append(
                    record.attributes["symbolist.revision"]?.integer ?? 0)
            }
        }
        return revisions
    }
}
