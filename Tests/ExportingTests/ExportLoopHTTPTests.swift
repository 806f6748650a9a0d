import Exporting
import Ingest
import Synchronization
import TestSupport
import Testing

@Suite("Export loop with OTLP over HTTP", .ownThreads)
struct ExportLoopHTTPTests {
    private let names = (1...200).map { "record \($0)" }

    private func settings(port: Int) -> ExporterSettings {
        var settings = ExporterSettings(kind: .otlpHTTP, name: "test")
        settings.url = "http://127.0.0.1:\(port)"
        settings.batchBytesLimit = 400
        return settings
    }

    @Test("a temporarily overloaded receiver gets everything in the end")
    func overload() async throws {
        let flow = MemoryFlow()
        await flow.add(names.map { Records.logs([$0]) })
        let received = Collected<String>()
        let refusals = Mutex(25)
        try await HTTPReceiver.run { request in
            let isDown = refusals.withLock { count in
                count -= 1
                return count >= 0
            }
            if isDown { return .init(status: 503, headers: ["retry-after": "0"]) }
            for name in (try? Records.names(request.plainBody())) ?? [] { received.add(name) }
            return .init()
        } use: { port in
            let exporter = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(exporter, flow) { await flow.reached(200) }
        }
        #expect(received.all.sorted() == names.sorted())
        #expect(refusals.withLock { $0 } < 0)
    }

    @Test("one refused record affects no other")
    func badRecord() async throws {
        let flow = MemoryFlow()
        await flow.add(names.map { Records.logs([$0]) })
        let received = Collected<String>()
        try await HTTPReceiver.run { request in
            let names = (try? Records.names(request.plainBody())) ?? []
            if names.contains("record 77") { return .init(status: 400) }
            for name in names { received.add(name) }
            return .init()
        } use: { port in
            let exporter = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(exporter, flow) { await flow.reached(200) }
        }
        #expect(received.all.sorted() == names.filter { $0 != "record 77" }.sorted())
        let letters = await flow.letters
        #expect(try letters.map { try Records.names($0.body) } == [["record 77"]])
        #expect(letters.map(\.reason) == ["400 Bad Request"])
    }

    @Test("a receiver that starts later gets everything")
    func comesLater() async throws {
        let flow = MemoryFlow()
        await flow.add(names.map { Records.logs([$0]) })
        let received = Collected<String>()
        let port = try await HTTPReceiver.run { _ in
            .init()
        } use: {
            $0
        }
        let attempts = Mutex(0)
        let real = try settings(port: port).exporter(key: "export[0]")
        let exporter = WatchedExporter(exporter: real) { attempts.withLock { $0 += 1 } }
        try await withLoop(exporter, flow) {
            #expect(await eventually { attempts.withLock { $0 } >= 5 })
            try await HTTPReceiver.run(port: port) { request in
                for name in (try? Records.names(request.plainBody())) ?? [] { received.add(name) }
                return .init()
            } use: { _ in
                await flow.reached(200)
            }
        }
        #expect(Set(received.all) == Set(names))
        #expect(await flow.letters.isEmpty)
    }
}

/// An exporter that reports its attempts.
struct WatchedExporter: Exporter {
    let exporter: any Exporter
    let hasTried: @Sendable () -> Void

    var name: String { exporter.name }
    var batchBytesLimit: Int { exporter.batchBytesLimit }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        defer { hasTried() }
        return await exporter.send(batch)
    }

    func run() async { await exporter.run() }
}
