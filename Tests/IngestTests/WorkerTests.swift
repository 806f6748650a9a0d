import CallStacks
import EmbeddedDatabase
import Foundation
import OTLP
import Testing

@testable import Ingest

@Suite("The worker")
struct WorkerTests {
    @Test("enriches a crash and keeps all received attributes")
    func crash() async throws {
        let rig = try await IngestRig()
        let request = try IngestRig.request("divide-by-zero.otlp.json")
        let sent = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        let record = try #require(try await rig.records().first)
        let stack = try #require(record.attributes["exception.stacktrace"]?.string)
        #expect(stack.contains("share(_:among:) (Harvest.swift:31:11)"))
        #expect(
            record.attributes["exception.stacktrace.original"]
                == sent.attributes["exception.stacktrace"])
        #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(false))
        #expect(record.attributes["symbolist.status"]?.string == "symbolicated")
        #expect(record.attributes["symbolist.culprit"]?.string == "share(_:among:)")
        #expect(record.attributes["symbolist.fingerprint"]?.string?.hasPrefix("1:") == true)
        #expect(record.attributes["symbolist.revision"]?.integer == 1)
        #expect(record.attributes["code.function.name"]?.string == "share")
        #expect(
            record.attributes["code.file.path"]?.string
                == "/Users/ci/orchard/Orchard/Harvest.swift")
        #expect(record.attributes["code.line.number"]?.integer == 31)
        #expect(record.attributes["log.record.uid"]?.string?.count == 36)
        #expect(record.attributes["symbolist.url"] == nil, "there is no address of the pages")
        for attribute in sent.attributes where attribute.key != "exception.stacktrace" {
            #expect(record.attributes[attribute.key] == attribute.value.value)
        }
        #expect(record.timeUnixNano == sent.timeUnixNano)
        #expect(record.eventName == sent.eventName)
    }

    @Test(
        "reads the stack of every SDK",
        arguments: ["divide-by-zero.otlp-nested.json", "objc-block.otlp.json"])
    func forms(name: String) async throws {
        let rig = try await IngestRig()
        try await rig.service.gateway.accept(
            .logs, IngestRig.request(name).encoded(as: .protobuf))
        try await rig.drain()
        let record = try #require(try await rig.records().first)
        #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(false))
    }

    @Test("links a record to its page, by the client's identifier and below the path of the pages")
    func pages() async throws {
        var settings = IngestFlow.Settings()
        settings.enrichment.pagesURL = "https://crashes.example.com/symbolist"
        let rig = try await IngestRig(settings: settings)
        var request = try IngestRig.request("divide-by-zero.otlp.json")
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes["log.record.uid"] =
            .stringValue("a/b?c")
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        let records = try await rig.records()
        let own = try #require(records.first?.attributes["log.record.uid"]?.string)
        #expect(
            records.map { $0.attributes["symbolist.url"]?.string } == [
                "https://crashes.example.com/symbolist/d/\(own)",
                "https://crashes.example.com/symbolist/d/a%2Fb%3Fc",
            ])
    }

    @Test("replaces what an earlier processor wrote, and an empty identifier")
    func earlierProcessor() async throws {
        let rig = try await IngestRig()
        var request = try IngestRig.request("divide-by-zero.otlp.json")
        let earlier: [String: AnyValue.OneOf_Value] = [
            "exception.symbolicator.failed": .boolValue(true),
            "exception.symbolicator.error": .stringValue("failed to find dSYM"),
            "code.line.number": .intValue(9_999), "code.column.number": .intValue(9_999),
            "log.record.uid": .stringValue(""),
        ]
        for (key, value) in earlier {
            request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes[key] = value
        }
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        let record = try #require(try await rig.records().first)
        #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(false))
        #expect(record.attributes["exception.symbolicator.error"]?.string != "failed to find dSYM")
        for key in ["code.line.number", "code.column.number"] {
            #expect(record.attributes[key] != .intValue(9_999))
        }
        #expect(record.attributes["log.record.uid"]?.string?.isEmpty == false)
    }

    @Test("exports requests without a diagnostic byte for byte")
    func passesOn() async throws {
        let rig = try await IngestRig()
        var record = OTLP.LogRecord()
        record.body = AnyValue(.stringValue("started"))
        record.attributes["exception.stacktrace"] = .stringValue("java.lang.Error\n\tat A.b")
        // A field of a later version of OTLP: number 99, a varint.
        var body = try Self.request([record]).encoded(as: .protobuf)
        body += [0x98, 0x06, 0x01]
        try await rig.service.gateway.accept(.logs, body)
        try await rig.service.gateway.accept(.traces, [0x0a, 0x00])
        try await rig.drain()
        let results = try await rig.service.worker.results(after: 0, bytes: .max, for: "test")
        #expect(results.flatMap(\.batches).map(\.body) == [body, [0x0a, 0x00]])
        #expect(results.flatMap(\.batches).map(\.signal) == [.logs, .traces])
    }

    @Test("marks an unreadable diagnostic, and processes its neighbours")
    func badRecord() async throws {
        let rig = try await IngestRig()
        var request = try IngestRig.request("divide-by-zero.otlp.json")
        var bad = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        bad.attributes["exception.stacktrace"] = .stringValue("{\"callStacks\": [")
        request.resourceLogs[0].scopeLogs[0].logRecords.insert(bad, at: 0)
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        let records = try await rig.records()
        try #require(records.count == 2)
        #expect(records[0].attributes["exception.symbolicator.failed"] == .boolValue(true))
        #expect(records[0].attributes["exception.symbolicator.error"]?.string?.isEmpty == false)
        #expect(
            records[0].attributes["exception.stacktrace"]
                == bad.attributes["exception.stacktrace"])
        #expect(records[1].attributes["exception.symbolicator.failed"] == .boolValue(false))
        #expect(
            records[0].attributes["log.record.uid"] != records[1].attributes["log.record.uid"])
    }

    @Test("recomputes the same records for an exporter that lags")
    func repetition() async throws {
        var settings = IngestFlow.Settings()
        settings.resultBytesLimit = 0
        let rig = try await IngestRig(settings: settings)
        let body = try IngestRig.request("divide-by-zero.otlp.json").encoded(as: .protobuf)
        try await rig.service.gateway.accept(.logs, body)
        try await rig.service.gateway.accept(.logs, body)
        try await rig.drain()
        let first = try await rig.records()
        let second = try await rig.records()
        try #require(first.count == 2)
        #expect(first == second)
        #expect(first[0].attributes["log.record.uid"] != first[1].attributes["log.record.uid"])
    }

    @Test("lets an exporter continue past removed entries")
    func nothingLeft() async throws {
        var settings = IngestFlow.Settings()
        settings.resultBytesLimit = 0
        let rig = try await IngestRig(settings: settings)
        for _ in 0..<2 { try await rig.service.gateway.accept(.traces, [0x0a, 0x00]) }
        try await rig.drain()
        #expect(try await rig.database.removePassed(count: 9) == 2)
        let results = try await rig.service.worker.results(after: 0, bytes: .max, for: "test")
        #expect(results.map(\.number) == [2])
        #expect(results.flatMap(\.batches).isEmpty)
    }

    @Test("creates a record for each diagnostic of a MetricKit payload, once")
    func metricKit() async throws {
        let rig = try await IngestRig()
        let payload = try IngestRig.fixture("several.payload.json")
        let ids = try await rig.service.gateway.accept(payloads: [payload])
        let again = try await rig.service.gateway.accept(payloads: [payload, payload])
        try await rig.drain()
        #expect(again == ids + ids)
        let records = try await rig.records()
        let names = records.map(\.eventName)
        #expect(names.last == "metrickit.diagnostic.crash")
        #expect(Set(names).count > 1)
        #expect(names == records.map { $0.attributes["name"]?.string })
        for record in records {
            #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(false))
            #expect(record.timeUnixNano > 0)
        }
        let kept = try await rig.database.diagnostics(DiagnosticQuery())
        #expect(kept.count == records.count)
        #expect(try await rig.database.entries(after: 0, count: 10, bytes: .max).count == 1)
    }

    @Test("omits attributes that the instrumentation does not send, if configured")
    func noAdditions() async throws {
        var settings = IngestFlow.Settings()
        settings.hasPayloadAdditions = false
        let rig = try await IngestRig(settings: settings)
        let payload = try IngestRig.fixture("several.payload.json")
        _ = try await rig.service.gateway.accept(payloads: [payload])
        try await rig.drain()
        let records = try await rig.records()
        let stacks = records.map { $0.attributes["exception.stacktrace"] != nil }
        #expect(stacks == [false, false, true, true])
        #expect(records.allSatisfy { $0.attributes["os.version"] == nil })
        #expect(records.allSatisfy { $0.attributes["symbolist.status"] != nil })
    }

    @Test("sends the span of a payload once, and its records again when symbols arrive")
    func spansOnce() async throws {
        let rig = try await IngestRig(hasSymbols: false)
        let payload = try IngestRig.fixture("several.payload.json")
        _ = try await rig.service.gateway.accept(payloads: [payload])
        try await rig.drain()
        let wanted = try await rig.database.missingImages(MissingQuery(scope: .app)).map(\.image)
        rig.symbols.arrive()
        #expect(try await rig.symbolsArrived(of: wanted) > 0)
        rig.clock.advance(seconds: 60)
        _ = try await rig.service.lateSymbols.enqueueDue()
        try await rig.drain()
        let batches = try await rig.service.worker.results(after: 0, bytes: .max, for: "test")
            .flatMap(\.batches)
        #expect(batches.filter { $0.signal == .traces }.count == 1)
        #expect(batches.filter { $0.signal == .logs }.count > 1)
        #expect(batches.first?.signal == .traces)
    }

    static func request(_ records: [OTLP.LogRecord]) -> ExportLogsServiceRequest {
        var scope = ScopeLogs()
        scope.logRecords = records
        var resource = ResourceLogs()
        resource.scopeLogs = [scope]
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [resource]
        return request
    }
}
