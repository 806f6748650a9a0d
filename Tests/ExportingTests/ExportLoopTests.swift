import CallStacks
import Ingest
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@Suite("Export loop", .ownThreads)
struct ExportLoopTests {
    private func records(_ count: Int) -> (names: [String], batches: [ExportBatch]) {
        let names = (1...count).map { "record \($0)" }
        return (names, names.map { Records.logs([$0]) })
    }

    @Test("everything arrives once, in order, and the cursor follows")
    func success() async throws {
        let flow = MemoryFlow()
        let (names, batches) = records(300)
        await flow.add(batches)
        let received = Collected<String>()
        let exporter = ScriptedExporter { batch in
            for name in (try? Records.names(batch.body)) ?? [] { received.add(name) }
            return taken
        }
        var settings = swiftSettings
        settings.inFlightLimit = 1
        try await withLoop(exporter, flow, settings: settings) { await flow.reached(300) }
        #expect(received.all == names)
        #expect(await flow.letters.isEmpty)
    }

    @Test(
        "whatever fails, nothing is lost and only bad records become dead letters", arguments: 0..<8
    )
    func storm(seed: UInt64) async throws {
        let flow = MemoryFlow()
        let (names, batches) = records(400)
        await flow.add(batches)
        await flow.fail(5)
        let numbers = Mutex(SplitMix64(seed: seed))
        let bad = Set(
            numbers.withLock { numbers in names.filter { _ in numbers.next() % 40 == 0 } })
        let received = Collected<String>()
        let exporter = ScriptedExporter { batch in
            let names = (try? Records.names(batch.body)) ?? []
            switch numbers.withLock({ $0.next() % 4 }) {
            case 0: return .retry(reason: "503", after: nil)
            case 1: await flow.fail(1)
            default: break
            }
            guard bad.isDisjoint(with: names) else {
                return .refused(reason: "400", isForContent: true)
            }
            for name in names { received.add(name) }
            return taken
        }
        try await withLoop(exporter, flow) { await flow.reached(400) }
        #expect(Set(received.all) == Set(names).subtracting(bad))
        let letters = await flow.letters
        #expect(Set(try letters.flatMap { try Records.names($0.body) }) == bad)
        #expect(letters.allSatisfy { $0.recordCount == 1 && $0.exporter == "scripted" })
        // A record that fails while others are accepted counts as bad, whatever the reason: the last
        // attempts with a bad one may have met only 503.
        #expect(letters.allSatisfy { ["400", "503"].contains($0.reason) })
        #expect(letters.allSatisfy { $0.refusal.rawValue == 7 })
        #expect(await flow.failedCount > 0)
        #expect(await flow.cursors == flow.cursors.sorted())
    }

    @Test("a killed loop resends only entries after the cursor")
    func kill() async throws {
        let flow = MemoryFlow()
        let (names, batches) = records(200)
        await flow.add(Array(batches[..<100]))
        let received = Collected<String>()
        let exporter = ScriptedExporter { batch in
            for name in (try? Records.names(batch.body)) ?? [] { received.add(name) }
            return taken
        }
        try await withLoop(exporter, flow) { await flow.reached(100) }
        let before = received.all.count
        await flow.add(Array(batches[100...]))
        try await withLoop(exporter, flow) { await flow.reached(200) }
        #expect(Set(received.all) == Set(names))
        #expect(received.all.count - before == 100)
    }

    @Test("the batches in flight are limited, and so is memory")
    func bounds() async throws {
        let flow = MemoryFlow()
        await flow.add(records(2_000).batches)
        let open = Mutex((now: 0, most: 0))
        let gate = Gate()
        let arrived = Collected<Int>()
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let exporter = ScriptedExporter { batch in
            open.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            arrived.add(batch.body.count)
            arrival.yield()
            await gate.pass()
            open.withLock { $0.now -= 1 }
            return taken
        }
        var settings = swiftSettings
        settings.inFlightLimit = 3
        try await withLoop(exporter, flow, settings: settings) {
            var count = 0
            for await _ in arrivals {
                count += 1
                if count == 3 { break }
            }
            // Three of at most 200 bytes are on their way; another read and an open one may wait.
            #expect(await flow.lastHandedOut < 200)
            await gate.open()
            await flow.reached(2_000)
        }
        #expect(open.withLock { $0.most } == 3)
        #expect(arrived.all.allSatisfy { $0 <= 200 })
    }

    @Test("a graceful stop sends open batches and saves the cursor")
    func gracefulStop() async throws {
        let flow = MemoryFlow()
        let (names, batches) = records(3)
        let received = Collected<String>()
        let exporter = ScriptedExporter { batch in
            for name in (try? Records.names(batch.body)) ?? [] { received.add(name) }
            return taken
        }
        var settings = swiftSettings
        settings.fillWait = .seconds(600)
        await flow.add(batches)
        let services = ServiceGroup(
            services: [exportLoop(exporter, flow, settings: settings)], logger: quietLogger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            while await flow.lastHandedOut < 3 { await Task.yield() }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
        #expect(received.all == names)
        #expect(await flow.cursor == 3)
    }

    @Test("a graceful stop does not wait for an unreachable receiver")
    func gracefulStopWhileAway() async throws {
        let flow = MemoryFlow()
        await flow.add(records(3).batches)
        var settings = swiftSettings
        settings.flushLimit = .milliseconds(50)
        settings.retry.initialWait = .seconds(600)
        settings.retry.longestWait = .seconds(600)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let exporter = ScriptedExporter { _ in
            arrival.yield()
            return .retry(reason: "503", after: 600)
        }
        let services = ServiceGroup(
            services: [exportLoop(exporter, flow, settings: settings)], logger: quietLogger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            for await _ in arrivals { break }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
        #expect(await flow.cursor == 0)
        #expect(await flow.letters.isEmpty)
    }
}
