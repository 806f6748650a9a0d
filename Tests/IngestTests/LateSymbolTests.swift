import CallStacks
import DebugFiles
import EmbeddedDatabase
import JournalSupport
import OTLP
import SymbolIntake
import Testing

@testable import Ingest

@Suite("Late symbols")
struct LateSymbolTests {
    @Test("send a diagnostic again with the same identifier and the next revision")
    func revision() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: rig)
        let raw = try #require(try await rig.records().first)
        #expect(raw.attributes["exception.symbolicator.failed"] == .boolValue(true))
        #expect(raw.attributes["symbolist.status"]?.string == "raw")
        let missing = try await rig.database.missingImages(MissingQuery(scope: .app))
        #expect(missing.map(\.waitingCount).allSatisfy { $0 == 1 })
        #expect(!missing.isEmpty)

        rig.symbols.arrive()
        let images = missing.map(\.image)
        #expect(try await rig.symbolsArrived(of: images) > 0)
        rig.clock.advance(seconds: 2)
        _ = try await rig.service.lateSymbols.enqueueDue()
        try await rig.drain()
        let records = try await rig.records(after: 1)
        #expect(records.count == 1)
        let better = try #require(records.first)
        #expect(better.attributes["symbolist.status"]?.string == "symbolicated")
        #expect(better.attributes["symbolist.revision"]?.integer == 2)
        #expect(better.attributes["log.record.uid"] == raw.attributes["log.record.uid"])
        #expect(try await rig.database.missingImages(MissingQuery(scope: .app)).isEmpty)
        #expect(try await rig.symbolsArrived(of: images) == 0)
    }

    @Test(
        "of Apple's own images do not send again unless that is set, and are waited for no more",
        arguments: [false, true])
    func systemImages(resends: Bool) async throws {
        var settings = IngestFlow.Settings()
        settings.resendsForSystem = resends
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        try await Self.sendCrash(to: rig)
        let missing = try await rig.database.missingImages(MissingQuery(scope: .system))
        let image = try #require(missing.first?.image)
        let file = IngestRig.debugFile(
            of: image, quality: .symbols, kind: StoredDebugFile.systemKind, at: rig.clock.now)
        let count = try await rig.symbolsArrived([file])
        #expect((count > 0) == resends)
        let left = try await rig.database.missingImages(MissingQuery(scope: .system))
        #expect(!left.contains { $0.image == image })
    }

    @Test("of Apple's own images without local symbols end no wait")
    func insufficientSystemImages() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: rig)
        func missing() async throws -> [ImageID] {
            try await rig.database.missingImages(MissingQuery(scope: .system)).map(\.image)
        }
        let image = try #require(try await missing().first)
        let exports = IngestRig.debugFile(
            of: image, quality: .symbols, kind: StoredDebugFile.systemKind,
            warnings: [DebugFileWarning(.symbolsFileMissing, "copy the symbols as well").line],
            at: rig.clock.now)
        try #require(!exports.isSufficient)
        #expect(try await rig.symbolsArrived([exports]) == 0)
        #expect(try await missing().contains(image))
        #expect(try await rig.restarted().lateSymbols.stepAwakenings() == 0)
        #expect(try await missing().contains(image))
    }

    @Test("do not resend diagnostics that are older than the window")
    func window() async throws {
        var settings = IngestFlow.Settings()
        settings.resendWindowSeconds = 3_600
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        try await Self.sendCrash(to: rig)
        let missing = try await rig.database.missingImages(MissingQuery())
        rig.clock.advance(seconds: 3_601)
        rig.symbols.arrive()
        #expect(
            try await rig.symbolsArrived(of: missing.map(\.image)) == 0)
    }

    @Test("release a held record as its first revision")
    func heldUntilSymbols() async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = 600
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        try await Self.sendCrash(to: rig)
        #expect(try await rig.records().isEmpty)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 0)
        let missing = try await rig.database.missingImages(MissingQuery())
        rig.symbols.arrive()
        _ = try await rig.symbolsArrived(of: missing.map(\.image))
        rig.clock.advance(seconds: 2)
        _ = try await rig.service.lateSymbols.enqueueDue()
        try await rig.drain()
        let records = try await rig.records(after: 1)
        #expect(records.map { $0.attributes["symbolist.revision"]?.integer } == [1])
        #expect(records.first?.attributes["symbolist.status"]?.string == "symbolicated")
    }

    @Test("of Apple's own images alone hold no record")
    func systemImagesHoldNone() async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = 600
        let rig = try await IngestRig(settings: settings)
        try await Self.sendCrash(to: rig)
        #expect(try await !rig.database.missingImages(MissingQuery(scope: .system)).isEmpty)
        #expect(try await rig.database.missingImages(MissingQuery(scope: .app)).isEmpty)
        let records = try await rig.records()
        #expect(records.map { $0.attributes["symbolist.revision"]?.integer } == [1])
        rig.clock.advance(seconds: 601)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 0)
    }

    @Test("that never arrive release a held record at the end of its hold, raw")
    func heldUntilTime() async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = 600
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        try await Self.sendCrash(to: rig)
        rig.clock.advance(seconds: 601)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 1)
        try await rig.drain()
        let records = try await rig.records(after: 1)
        #expect(records.map { $0.attributes["symbolist.revision"]?.integer } == [1])
        #expect(records.first?.attributes["symbolist.status"]?.string == "raw")
        #expect(try await rig.service.lateSymbols.enqueueDue() == 0)
    }

    @Test("that arrive just after the worker found them missing are not missed")
    func arrivalBeforeCommit() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        rig.symbols.atMiss { image in
            let woken = try await rig.symbolsArrived(of: [image])
            #expect(woken == 0)
        }
        try await Self.sendCrash(to: rig)
        rig.symbols.arrive()
        #expect(try await rig.waitingCount() > 0)
        #expect(try await rig.service.lateSymbols.markAll() > 0)
        #expect(try await rig.waitingCount() == 0)
        rig.clock.advance(seconds: 2)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 1)
        try await rig.drain()
        let revisions = try await rig.records(after: 1)
        #expect(revisions.map { $0.attributes["symbolist.revision"]?.integer } == [2])
        #expect(try await rig.service.lateSymbols.stepAwakenings() == 0)
    }

    @Test("that return just after an exporter's replay found them removed are not missed")
    func returnBeforeRevision() async throws {
        var settings = IngestFlow.Settings()
        settings.resultBytesLimit = 0
        let rig = try await IngestRig(settings: settings)
        try await Self.sendCrash(to: rig)
        rig.symbols.leave()
        rig.symbols.atMiss { image in _ = try await rig.symbolsArrived(of: [image]) }
        let raw = try await rig.records()
        #expect(raw.map { $0.attributes["symbolist.revision"]?.integer } == [2])
        rig.symbols.arrive()
        #expect(try await rig.service.lateSymbols.markAll() > 0)
        #expect(try await rig.waitingCount() == 0)
        rig.clock.advance(seconds: 2)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 1)
        try await rig.drain()
        let better = try await rig.records(after: 1)
        #expect(better.map { $0.attributes["symbolist.revision"]?.integer } == [3])
    }

    @Test("whose upload was interrupted by a kill are found at the next start")
    func interruptedUpload() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: rig)
        #expect(try await rig.service.lateSymbols.stepAwakenings() == 0)
        #expect(try await rig.waitingCount() > 0)
        rig.clock.advance(seconds: 60)
        for image in try await rig.database.missingImages(MissingQuery()) {
            _ = try await rig.database.add(
                IngestRig.debugFile(of: image.image, at: rig.clock.now))
        }
        #expect(try await rig.waitingCount() > 0)
        let next = try await rig.restarted()
        #expect(try await next.lateSymbols.markAll() > 0)
        #expect(try await rig.waitingCount() == 0)
        rig.clock.advance(seconds: 2)
        #expect(try await next.lateSymbols.enqueueDue() == 1)
    }

    @Test("are announced if diagnostics wait for them although they are stored")
    func announcement() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: rig)
        let awaited = try await rig.database.awaitedImages(after: nil, count: 1_000)
        try #require(awaited.count > 1)
        _ = try await rig.database.add(
            IngestRig.debugFile(of: awaited[0].image, at: rig.clock.now))
        try await rig.service.lateSymbols.announceStoredSymbols()
        // The first one awakens its diagnostics already.
        #expect(rig.symbols.requestedAnnouncements == Set(awaited.dropFirst().map(\.image)))
    }

    @Test("of an upload that is being processed are left to its end")
    func uploadInProgress() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: rig)
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        rig.symbols.begin(images)
        for image in images {
            _ = try await rig.database.recordChange(
                of: IngestRig.debugFile(of: image, at: rig.clock.now))
        }
        #expect(try await rig.service.lateSymbols.stepAwakenings() == 0)
        rig.symbols.begin([])
        #expect(try await rig.service.lateSymbols.symbolsArrived(of: images) == images.count)
        #expect(try await rig.waitingCount() == 0)
        #expect(try await rig.service.lateSymbols.stepAwakenings() == 0)
    }

    @Test("that are insufficient and older than the diagnostics wake none")
    func poorFile() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        let unsent = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: unsent)
        let images = try await unsent.database.missingImages(MissingQuery()).map(\.image)
        try await rig.symbolsArrived(
            images.map { IngestRig.debugFile(of: $0, quality: .symbols, at: rig.clock.now) })
        try await Self.sendCrash(to: rig)
        #expect(try await rig.restarted().lateSymbols.stepAwakenings() == 0)
        #expect(try await rig.waitingCount() > 0)
    }

    @Test("of one build cause one revision")
    func rest() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        try await Self.sendCrash(to: rig)
        let images = try await rig.database.missingImages(MissingQuery()).map(\.image)
        try #require(images.count > 1)
        rig.symbols.arrive()
        var enqueuedCount: [Int] = []
        for image in images {
            _ = try await rig.symbolsArrived(of: [image])
            rig.clock.advance(seconds: 1)
            enqueuedCount.append(try await rig.service.lateSymbols.enqueueDue())
        }
        #expect(enqueuedCount.allSatisfy { $0 == 0 })
        rig.clock.advance(seconds: 1)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 1)
    }

    @Test("fill the journal up to a limit, and have a share while it is full")
    func pacing() async throws {
        let rig = try await IngestRig()
        var numbers = SystemRandomNumberGenerator()
        let now = rig.clock.now
        _ = try await rig.database.append([
            JournalDraft(key: .random(using: &numbers), arrival: now, kind: .logs, body: [])
        ])
        let held = (0..<LateSymbols.fullBacklog + 100).map { position in
            var diagnostic = DiagnosticRecord(
                uid: "\(position)", address: RecordAddress(entry: 1, position: position),
                arrival: now, kind: .crash, status: .raw, fingerprint: "")
            diagnostic.state = .held
            diagnostic.heldUntil = now
            return diagnostic
        }
        try await rig.database.commit(WorkerCommit(lastNumber: 1, diagnostics: held))
        let late = rig.service.lateSymbols
        #expect(try await late.enqueueDue() == LateSymbols.fullBacklog)
        #expect(try await late.enqueueDue() == LateSymbols.leastCount)
    }

    @Test("release a held record once, also for an exporter that lags", arguments: [0, 1])
    func heldForOneBehind(steps: Int) async throws {
        var settings = IngestFlow.Settings()
        settings.holdSeconds = 600
        settings.resultBytesLimit = 0
        let rig = try await IngestRig(hasSymbols: false, settings: settings)
        _ = try await rig.database.cursor(of: "slow")
        try await Self.sendCrash(to: rig)
        rig.clock.advance(seconds: 601)
        #expect(try await rig.service.lateSymbols.enqueueDue() == 1)
        // Before and after the worker has processed it.
        for _ in 0..<steps { try await rig.drain() }
        let first = try await rig.service.worker.results(after: 0, bytes: 1, for: "test")
        #expect(first.first?.number == 1)
        #expect(first.filter { $0.number == 1 }.flatMap(\.batches).isEmpty)
        try await rig.drain()
        #expect(
            try await rig.database.removeDiagnostics(
                before: rig.clock.now.advanced(seconds: 1), keeping: 0, count: 9) == 0)
        let records = try await rig.records(after: 1)
        #expect(records.map { $0.attributes["symbolist.revision"]?.integer } == [1])
    }

    private static func sendCrash(to rig: IngestRig) async throws {
        let request = try IngestRig.request("objc-block.otlp.json")
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
    }
}

extension IngestRig {
    /// The number of waits for all images.
    fileprivate func waitingCount() async throws -> Int {
        try await database.missingImages(MissingQuery()).reduce(0) { $0 + $1.waitingCount }
    }
}

extension LateSymbols {
    /// Marks all diagnostics that wait for arrived symbols.
    ///
    /// - Returns: The number of steps.
    fileprivate func markAll() async throws -> Int {
        var stepCount = 0
        while true {
            let more = try await stepAwakenings()
            if more == 0 { return stepCount }
            stepCount += more
        }
    }
}
