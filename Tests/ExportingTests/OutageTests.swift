import CallStacks
import Exporting
import GRPCCore
import Ingest
import OTLP
import Synchronization
import TestSupport
import Testing

@Suite("Receivers that temporarily refuse everything", .ownThreads)
struct OutageTests {
    /// 36,000 records in entries of 100.
    private static let names = (0..<360).map { entry in
        (0..<100).map { "record \(entry)-\($0)" }
    }

    private func settings(_ kind: ExporterSettings.Kind = .otlpHTTP, port: Int) -> ExporterSettings
    {
        var settings = ExporterSettings(kind: kind, name: "test")
        settings.url = "http://127.0.0.1:\(port)"
        return settings
    }

    /// The accepted records of a receiver, and whether it accepts any.
    private final class Receiver: Sendable {
        private let state = Mutex((isUp: false, refusals: 0, names: Set<String>()))

        var names: Set<String> { state.withLock(\.names) }

        /// Refuses until it has done so often enough.
        func take(_ names: [String], refusing count: Int) -> Bool {
            state.withLock { state in
                if state.refusals < count {
                    state.refusals += 1
                    return false
                }
                state.names.formUnion(names)
                return true
            }
        }
    }

    @Test(
        "nothing becomes a dead letter, and everything arrives in the end",
        arguments: [400, 401, 403, 404, 405, 408, 413, 422, 429, 500, 501, 502, 503])
    func statuses(status: Int) async throws {
        let flow = MemoryFlow()
        await flow.add(Self.names.map { Records.logs($0) })
        let receiver = Receiver()
        try await HTTPReceiver.run { request in
            let names = (try? Records.names(request.plainBody())) ?? []
            return .init(status: receiver.take(names, refusing: 60) ? 200 : status)
        } use: { port in
            let exporter = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(exporter, flow) { await flow.reached(360) }
        }
        #expect(receiver.names == Set(Self.names.joined()))
        #expect(await flow.letters.isEmpty)
    }

    @Test(
        "nothing becomes a dead letter over gRPC either",
        arguments: [
            RPCError.Code.unimplemented, .permissionDenied, .invalidArgument, .unauthenticated,
            .internalError, .resourceExhausted,
        ])
    func codes(code: RPCError.Code) async throws {
        let flow = MemoryFlow()
        await flow.add(Self.names.map { Records.logs($0) })
        let receiver = Receiver()
        try await GRPCReceiver.run { received in
            let names = received.logs.resourceLogs.flatMap(\.scopeLogs).flatMap(\.logRecords)
                .map(\.body.stringValue)
            guard receiver.take(names, refusing: 60) else {
                throw RPCError(code: code, message: "no")
            }
            return .init()
        } use: { port in
            let exporter = try settings(.otlpGRPC, port: port).exporter(key: "export[0]")
            try await withLoop(exporter, flow) { await flow.reached(360) }
        }
        #expect(receiver.names == Set(Self.names.joined()))
        #expect(await flow.letters.isEmpty)
    }

    @Test("a restart in between changes nothing", arguments: [401, 500])
    func restart(status: Int) async throws {
        let flow = MemoryFlow()
        await flow.add(Self.names.map { Records.logs($0) })
        let receiver = Receiver()
        let attempts = Mutex(0)
        try await HTTPReceiver.run { request in
            attempts.withLock { $0 += 1 }
            let names = (try? Records.names(request.plainBody())) ?? []
            return .init(status: receiver.take(names, refusing: 60) ? 200 : status)
        } use: { port in
            let exporter = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(exporter, flow) {
                while attempts.withLock({ $0 }) < 30 { try await Task.sleep(for: .milliseconds(1)) }
            }
            #expect(await flow.cursor == 0)
            let second = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(second, flow) { await flow.reached(360) }
        }
        #expect(receiver.names == Set(Self.names.joined()))
        #expect(await flow.letters.isEmpty)
    }

    @Test(
        "one refused record among thousands is the only dead letter",
        arguments: [400, 403, 413, 500])
    func oneRecord(status: Int) async throws {
        let flow = MemoryFlow()
        await flow.add(Self.names.map { Records.logs($0) })
        let bad = "record 200-50"
        let received = Collected<String>()
        try await HTTPReceiver.run { request in
            let names = (try? Records.names(request.plainBody())) ?? []
            if names.contains(bad) { return .init(status: status) }
            for name in names { received.add(name) }
            return .init()
        } use: { port in
            let exporter = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(exporter, flow) { await flow.reached(360) }
        }
        #expect(Set(received.all) == Set(Self.names.joined()).subtracting([bad]))
        #expect(try await flow.letters.map { try Records.names($0.body) } == [[bad]])
    }

    @Test("a partly rejected batch is kept with its count, and is not resent automatically")
    func partialSuccess() async throws {
        let flow = MemoryFlow()
        await flow.add([Records.logs(["a", "b", "c"])])
        let requests = Mutex(0)
        var response = ExportLogsServiceResponse()
        response.partialSuccess.rejectedLogRecords = 2
        response.partialSuccess.errorMessage = "too old"
        let body = try response.encoded(as: .protobuf)
        try await HTTPReceiver.run { _ in
            requests.withLock { $0 += 1 }
            return .init(headers: ["content-type": "application/x-protobuf"], body: body)
        } use: { port in
            let exporter = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(exporter, flow) { await flow.reached(1) }
            // One that ran has closed its connections.
            let second = try settings(port: port).exporter(key: "export[0]")
            try await withLoop(second, flow, settingsFingerprint: "second") {
                await flow.add([Records.logs(["d"])])
                await flow.reached(2)
            }
        }
        let letters = await flow.letters
        try #require(letters.map(\.rejectedCount) == [2, nil])
        #expect(letters.map(\.reason) == ["2 of 3 rejected: too old", "2 rejected: too old"])
        #expect(try Records.names(letters[0].body) == ["a", "b", "c"])
    }
}

@Suite("Dead letters of a running exporter", .ownThreads)
struct DeadLetterLoopTests {
    private func letter(_ names: [String]) -> DeadLetter {
        let batch = Records.logs(names)
        return DeadLetter(
            exporter: "scripted", signal: .logs, refusal: UnixTime(rawValue: 1), reason: "400",
            recordCount: names.count, body: batch.body)
    }

    @Test("they are sent again at a start, and accepted ones are removed")
    func start() async throws {
        let flow = MemoryFlow()
        for number in 1...30 { await flow.add(letter(["letter \(number)"])) }
        let received = Collected<String>()
        let exporter = ScriptedExporter { batch in
            for name in (try? Records.names(batch.body)) ?? [] { received.add(name) }
            return taken
        }
        try await withLoop(exporter, flow) {
            await flow.letters { letters, _ in letters.isEmpty }
        }
        #expect(received.all == (1...30).map { "letter \($0)" })
    }

    @Test(
        "one refused among accepted ones is retried only with other settings")
    func refusedAgain() async throws {
        let flow = MemoryFlow()
        let bad = await flow.add(letter(["bad"]))
        await flow.add(letter(["good"]))
        let attempts = Mutex(0)
        let exporter = ScriptedExporter { batch in
            guard (try? Records.names(batch.body)) == ["bad"] else { return taken }
            attempts.withLock { $0 += 1 }
            return .refused(reason: "400", isForContent: true)
        }
        try await withLoop(exporter, flow) {
            await flow.letters { letters, refused in letters.count == 1 && refused == [bad] }
        }
        let count = attempts.withLock { $0 }
        for number in 1...3 {
            try await withLoop(exporter, flow) {
                await flow.add([Records.logs(["record \(number)"])])
                await flow.reached(Int64(number))
            }
        }
        #expect(attempts.withLock { $0 } == count)
        let better = ScriptedExporter { _ in taken }
        try await withLoop(better, flow, settingsFingerprint: "second") {
            await flow.letters { letters, _ in letters.isEmpty }
        }
    }

    @Test("letters given up in an outage are sent again when the receiver has recovered")
    func recovery() async throws {
        let flow = MemoryFlow()
        let isUp = Mutex(false)
        let received = Collected<String>()
        let exporter = ScriptedExporter { batch in
            guard isUp.withLock(\.self) else {
                return .refused(reason: "500", isForContent: false)
            }
            for name in (try? Records.names(batch.body)) ?? [] { received.add(name) }
            return taken
        }
        var settings = swiftSettings
        settings.retry.maxElapsed = .milliseconds(1)
        await flow.add((1...20).map { Records.logs(["record \($0)"]) })
        try await withLoop(exporter, flow, settings: settings) {
            await flow.reached(20)
            #expect(await !flow.letters.isEmpty)
            isUp.withLock { $0 = true }
            await flow.add([Records.logs(["record 21"])])
            await flow.letters { letters, _ in letters.isEmpty }
        }
        #expect(Set(received.all).isSuperset(of: (1...20).map { "record \($0)" }))
    }
}
