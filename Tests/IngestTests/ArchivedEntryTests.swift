import EmbeddedDatabase
import OTLP
import SymbolIntake
import Testing

@testable import Ingest

@Suite("Archived entries")
struct ArchivedEntryTests {
    @Test("a revision whose entry cannot be read is postponed by the worker, and fails a replay")
    func unavailable() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        let request = try IngestRig.request("objc-block.otlp.json")
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        let missing = try await rig.database.missingImages(MissingQuery(scope: .app))
        rig.symbols.arrive()
        #expect(try await rig.symbolsArrived(of: missing.map(\.image)) > 0)
        rig.clock.advance(seconds: 2)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 1)
        let revision = try #require(try await rig.database.entry(2))
        let present = rig.service.worker.processor
        let away = EntryProcessor(
            records: present.records, holdSeconds: 0,
            journal: FailingJournal(inner: rig.database, firstStored: 2), revisions: rig.database,
            symbolChanges: rig.symbols)
        // The sources of the whole run cannot be read, which alone fails nothing.
        let sources = try await RevisionSources(of: [revision], for: away, bytes: .max)
        let postponed = try await away.process(revision, .first, from: sources)
        #expect(postponed.postponed == RecordAddress(entry: 1, position: 0))
        #expect(postponed.exportable.batches.isEmpty)
        #expect(postponed.revised.isEmpty)
        let error = await #expect(throws: JournalError.self) {
            try await away.process(revision, .replay, from: sources)
        }
        #expect(error?.reason == .unavailable)
        let sent = try await present.process(revision, .first, from: sources)
        #expect(sent.postponed == nil)
        #expect(sent.exportable.batches.count == 1)
    }
}
