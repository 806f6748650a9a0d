import CallStacks
import EmbeddedDatabase
import OTLP
import Testing

@testable import Ingest

@Suite("Late symbols")
struct LateSymbolTests {
    @Test("send a diagnostic again with the same identifier and the next revision")
    func revision() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: rig)
        let raw = try #require(try await rig.records().first)
        #expect(raw.attributes["exception.symbolicator.failed"]?.bool == true)
        #expect(raw.attributes["symbolist.status"]?.string == "raw")
        let missing = try await rig.database.missingImages(MissingQuery(scope: .app))
        #expect(missing.map(\.waitingCount).allSatisfy { $0 == 1 })
        #expect(!missing.isEmpty)

        rig.symbols.arrive()
        let images = missing.map(\.image)
        #expect(try await rig.service.lateSymbols.symbolsArrived(of: images) > 0)
        _ = try await rig.service.lateSymbols.takeUp()
        try await rig.drain()
        let records = try await rig.records(after: 1)
        #expect(records.count == 1)
        let better = try #require(records.first)
        #expect(better.attributes["symbolist.status"]?.string == "symbolicated")
        #expect(better.attributes["symbolist.revision"]?.integer == 2)
        #expect(better.attributes["log.record.uid"] == raw.attributes["log.record.uid"])
        #expect(try await rig.database.missingImages(MissingQuery(scope: .app)).isEmpty)
        #expect(try await rig.service.lateSymbols.symbolsArrived(of: images) == 0)
    }

    @Test("do not send what is older than the window again")
    func window() async throws {
        var settings = IngestFlow.Settings()
        settings.resendWindowSeconds = 3_600
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        try await Self.sendCrash(to: rig)
        let missing = try await rig.database.missingImages(MissingQuery())
        rig.clock.advance(seconds: 3_601)
        rig.symbols.arrive()
        #expect(
            try await rig.service.lateSymbols.symbolsArrived(of: missing.map(\.image)) == 0)
    }

    @Test("release a held record as its first revision")
    func heldUntilSymbols() async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = 600
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        try await Self.sendCrash(to: rig)
        #expect(try await rig.records().isEmpty)
        #expect(try await rig.service.lateSymbols.takeUp() == 0)
        let missing = try await rig.database.missingImages(MissingQuery())
        rig.symbols.arrive()
        _ = try await rig.service.lateSymbols.symbolsArrived(of: missing.map(\.image))
        _ = try await rig.service.lateSymbols.takeUp()
        try await rig.drain()
        let records = try await rig.records(after: 1)
        #expect(records.map { $0.attributes["symbolist.revision"]?.integer } == [1])
        #expect(records.first?.attributes["symbolist.status"]?.string == "symbolicated")
    }

    @Test("that never come let a held record out when its time is over, raw")
    func heldUntilTime() async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = 600
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        try await Self.sendCrash(to: rig)
        rig.clock.advance(seconds: 601)
        #expect(try await rig.service.lateSymbols.takeUp() == 1)
        try await rig.drain()
        let records = try await rig.records(after: 1)
        #expect(records.map { $0.attributes["symbolist.revision"]?.integer } == [1])
        #expect(records.first?.attributes["symbolist.status"]?.string == "raw")
        #expect(try await rig.service.lateSymbols.takeUp() == 0)
    }

    private static func sendCrash(to rig: IngestRig) async throws {
        let request = try IngestRig.request("objc-block.otlp.json")
        try await rig.service.reception.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
    }
}
