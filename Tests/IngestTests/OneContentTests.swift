import CallStacks
import EmbeddedDatabase
import Foundation
import Logging
import OTLP
import SymbolStores
import Symbolication
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Every receiver must get the same content of a revision of a record, whatever changes between the
/// times at which the record is processed.
@Suite("One content for each revision")
struct OneContentTests {
    /// Results are not kept in memory, so each exporter lags.
    private static var laggingSettings: IngestFlow.Settings {
        var settings = IngestFlow.Settings()
        settings.resultBytesLimit = 0
        return settings
    }

    /// Returns a flow that has processed a crash.
    private static func lagging(hasSymbols: Bool) async throws -> IngestRig {
        let rig = try await IngestRig(hasSymbols: hasSymbols, settings: laggingSettings)
        let request = try IngestRig.request("objc-block.otlp.json")
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        return rig
    }

    @Test(
        "a revision has one content in any order of arrivals, symbols, restarts, settings and lags",
        arguments: UInt64(0)..<24)
    func interleavings(seed: UInt64) async throws {
        var run = try await Run(seed: seed)
        for _ in 0..<70 { try await run.step() }
        try await run.finish()
        run.expectOneContent()
        try await run.expectBest()
    }

    @Test("an older content gets no newer number when symbols arrive during processing")
    func olderContent() async throws {
        let rig = try await Self.lagging(hasSymbols: false)
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        let isFirst = Mutex(true)
        rig.symbols.atMiss { _ in
            // While the exporter's record is processed without symbols, the worker sends the better
            // one.
            let isNow = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isNow else { return }
            rig.symbols.arrive()
            _ = try await rig.symbolsArrived(of: images)
            rig.clock.advance(seconds: 2)
            _ = try await rig.service.lateSymbols.enqueueDue()
            try await rig.drain()
        }
        var other = Self.laggingSettings
        other.enrichment.stackFormat = .json
        let behind = try await rig.restarted(other)
        let late = try await behind.worker.results(after: 0, bytes: 1, for: "test").flatMap(
            \.batches
        )
        .flatMap { try IngestRig.records(in: $0.body) }
        #expect(late.map { $0.attributes["symbolist.status"]?.string } == ["symbolicated"])
        #expect(late.map { $0.attributes["symbolist.revision"]?.integer } == [3])
    }

    @Test("switching the hold off exports nothing twice")
    func holdSwitchedOff() async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = 600
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        let request = try IngestRig.request("objc-block.otlp.json")
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        let next = try await rig.restarted(IngestFlow.Settings())
        let results = try await next.worker.results(after: 0, bytes: .max, for: "test")
        #expect(results.map(\.number) == [1])
        #expect(results.flatMap(\.batches).isEmpty)
    }

    @Test("symbols that are removed and uploaded again end at the best content")
    func removedSymbols() async throws {
        let rig = try await Self.lagging(hasSymbols: true)
        rig.symbols.leave()
        #expect(try await rig.sent(after: 0) == ["2 raw"])
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        rig.symbols.arrive()
        #expect(try await rig.symbolsArrived(of: images) > 0)
        rig.clock.advance(seconds: 2)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 1)
        try await rig.drain()
        #expect(try await rig.sent(after: 0) == ["2 raw", "3 symbolicated"])
    }

    @Test("each entry sends its own revision again, with the symbols of then")
    func ownRevisions() async throws {
        let rig = try await Self.lagging(hasSymbols: false)
        let raw = try await rig.records(after: 0)
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        rig.symbols.arrive()
        _ = try await rig.symbolsArrived(of: images)
        #expect(try await rig.records(after: 0) == raw, "before the next revision is stored")
        rig.clock.advance(seconds: 2)
        _ = try await rig.service.lateSymbols.enqueueDue()
        try await rig.drain()
        #expect(try await rig.sent(after: 0) == ["1 raw", "2 symbolicated"])
        #expect(try await rig.records(after: 0).first == raw.first)
    }

    @Test("a content with symbols waits for an index that is still being fetched")
    func delayedIndex() async throws {
        let rig = try await Self.lagging(hasSymbols: true)
        let sent = try await rig.records(after: 0)
        #expect(rig.symbols.awaitedIndexes.isEmpty)
        rig.symbols.delay()
        #expect(try await rig.records(after: 0) == sent)
        #expect(!rig.symbols.awaitedIndexes.isEmpty)
    }

    @Test(
        "no revision is left out in any order of arrivals, symbols, kills and lags",
        arguments: UInt64(0)..<24)
    func completeness(seed: UInt64) async throws {
        var run = try await Run(seed: seed, isSteady: true)
        for _ in 0..<70 { try await run.step() }
        try await run.finish()
        run.expectOneContent()
        run.expectAllRevisions()
        try await run.expectBest()
    }
}

extension IngestRig {
    /// Returns the revision and status of the records after an entry, recomputed from the journal.
    fileprivate func sent(after number: Int64) async throws -> [String] {
        try await records(after: number).map {
            "\($0.attributes["symbolist.revision"]?.integer ?? 0) "
                + ($0.attributes["symbolist.status"]?.string ?? "")
        }
    }
}

/// An exporter, with the records that its receiver got.
private struct Receiver {
    let name: String
    /// The entry up to which it has sent, and the one that is saved.
    var cursor: Int64 = 0
    var records: [OTLP.LogRecord] = []
}

/// A flow with two exporters, driven in an order that a seed determines.
private struct Run {
    private var numbers: SplitMix64
    private let rig: IngestRig
    private var flow: IngestFlow
    private var receivers = [Receiver(name: "a"), Receiver(name: "b")]
    private var accepted = 0
    private var plain: Set<String> = []
    /// Whether settings stay as they are, and symbols and diagnostics stay stored. Otherwise a
    /// content may no longer be known when it is sent again.
    private let isSteady: Bool

    init(seed: UInt64, isSteady: Bool = false) async throws {
        self.isSteady = isSteady
        numbers = SplitMix64(seed: seed)
        rig = try await IngestRig(hasSymbols: false)
        flow = rig.service
        for receiver in receivers { _ = try await rig.database.cursor(of: receiver.name) }
    }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

    mutating func step() async throws {
        switch chance(12) {
        case 0, 1: try await accept()
        case 2, 3, 4: try await flow.worker.drain()
        case 5: try await moveSymbols()
        case 6: try await enqueueDue()
        case 7, 8: try await read(chance(2))
        case 9: try await saveCursor(chance(2))
        case 10: try await restart()
        default: try await removeOld()
        }
    }

    private mutating func accept() async throws {
        accepted += 1
        if chance(4) == 0 {
            let fixture = try IngestRig.fixture("several.payload.json")
            let unique =
                Array("{\"testNumber\": \(accepted), ".utf8)
                + fixture.drop { $0 != 0x7b }
                .dropFirst()
            _ = try await flow.gateway.accept(payloads: [unique])
            return
        }
        var records: [OTLP.LogRecord] = []
        for number in 0...chance(3) {
            let name = ["objc-block.otlp.json", "divide-by-zero.otlp.json"][chance(2)]
            var record = try IngestRig.request(name).resourceLogs[0].scopeLogs[0].logRecords[0]
            if chance(3) == 0 {
                record = OTLP.LogRecord()
                plain.insert("\(accepted).\(number)")
            }
            record.attributes["test.id"] = .stringValue("\(accepted).\(number)")
            records.append(record)
        }
        try await flow.gateway.accept(
            .logs, WorkerTests.request(records).encoded(as: .protobuf))
    }

    /// Makes the symbols arrive, as by an upload, or removes them.
    private mutating func moveSymbols() async throws {
        if chance(3) == 0, !isSteady { return rig.symbols.leave() }
        rig.symbols.arrive()
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        _ = try await rig.symbolsArrived(of: images, in: flow)
    }

    private func enqueueDue() async throws {
        rig.clock.advance(seconds: 300)
        _ = try await flow.lateSymbols.enqueueDue()
    }

    private mutating func read(_ index: Int) async throws {
        let cursor = receivers[index].cursor
        let worked = try await rig.database.cursor(of: JournalReaders.worker)
        guard cursor < worked else { return }
        for entry in try await flow.worker.results(
            after: cursor, bytes: chance(20_000) + 1, for: "test")
        {
            receivers[index].cursor = entry.number
            for batch in entry.batches where batch.signal == .logs {
                receivers[index].records += try IngestRig.records(in: batch.body)
            }
        }
    }

    private func saveCursor(_ index: Int) async throws {
        try await rig.database.advance(receivers[index].name, to: receivers[index].cursor)
    }

    /// Kills the service and starts it with other settings: exporters begin at their saved cursors.
    private mutating func restart() async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = [0, 0, 600][chance(3)]
        settings.resultBytesLimit = [0, 40_000, 32 << 20][chance(3)]
        if !isSteady {
            settings.enrichment.stackFormat = [.text, .json][chance(2)]
            settings.enrichment.keepsOriginal = chance(2) == 0
        }
        flow = try await rig.restarted(settings)
        for index in receivers.indices {
            receivers[index].cursor = try await rig.database.cursor(of: receivers[index].name)
        }
    }

    private mutating func removeOld() async throws {
        guard !isSteady else { return }
        _ = try await rig.database.removeDiagnostics(
            before: rig.clock.now.advanced(seconds: -Int64(chance(4_000))), keeping: .max, count: 3)
        _ = try await rig.database.removePassed(count: 9)
    }

    /// Exports all held and waiting records, for both exporters.
    mutating func finish() async throws {
        rig.symbols.arrive()
        try await flow.worker.drain()
        for _ in 0..<3 {
            let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
            _ = try await rig.symbolsArrived(of: images, in: flow)
            rig.clock.advance(seconds: 1_000)
            while try await flow.lateSymbols.enqueueDue() > 0 {}
            try await flow.worker.drain()
            for index in receivers.indices {
                while receivers[index].cursor < (try await rig.database.cursor(of: "worker")) {
                    try await read(index)
                }
            }
        }
    }

    func expectOneContent() {
        var contents: [String: OTLP.LogRecord] = [:]
        for record in receivers.flatMap(\.records) {
            guard let uid = record.attributes["log.record.uid"]?.string,
                let revision = record.attributes["symbolist.revision"]?.integer
            else { continue }
            let key = "\(uid) \(revision)"
            if let other = contents[key] { #expect(record == other, "\(key)") }
            contents[key] = record
        }
    }

    /// Checks that each receiver got each record with all revisions up to its last one.
    func expectAllRevisions() {
        for receiver in receivers {
            var revisions: [String: Set<Int64>] = [:]
            for record in receiver.records {
                guard let uid = record.attributes["log.record.uid"]?.string,
                    let number = record.attributes["symbolist.revision"]?.integer
                else { continue }
                revisions[uid, default: []].insert(number)
            }
            for (uid, numbers) in revisions {
                #expect(numbers == Set(1...(numbers.max() ?? 1)), "\(receiver.name) \(uid)")
            }
        }
    }

    /// Checks that each receiver has every record, and that the newest of the stored ones is the
    /// best.
    func expectBest() async throws {
        let kept = try await rig.database.diagnostics(DiagnosticQuery(limit: 1_000))
        var best: [String: Int64] = [:]
        for record in receivers.flatMap(\.records) {
            guard let uid = record.attributes["log.record.uid"]?.string,
                let frames = record.attributes["symbolist.frames.symbolicated"]?.integer
            else { continue }
            best[uid] = max(best[uid] ?? 0, frames)
        }
        for receiver in receivers {
            let ids = Set(receiver.records.compactMap { $0.attributes["test.id"]?.string })
            #expect(plain.isSubset(of: ids))
            var newest: [String: OTLP.LogRecord] = [:]
            for record in receiver.records {
                guard let uid = record.attributes["log.record.uid"]?.string else { continue }
                let number = record.attributes["symbolist.revision"]?.integer ?? 0
                let last = newest[uid]?.attributes["symbolist.revision"]?.integer ?? 0
                if number >= last { newest[uid] = record }
            }
            for row in kept {
                let frames = newest[row.uid]?.attributes["symbolist.frames.symbolicated"]?.integer
                #expect(frames == best[row.uid], "\(receiver.name) \(row.address)")
            }
        }
    }
}
