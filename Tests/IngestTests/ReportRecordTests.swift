import CallStacks
import Foundation
import OTLP
import TestSupport
import Testing

@testable import Ingest

/// Records whose `exception.stacktrace` is a report of another format than MetricKit's.
@Suite("Reports in log records")
struct ReportRecordTests {
    private static func request(
        stack: String, _ more: [String: String] = [:], resource: [String: String] = [:]
    ) -> ExportLogsServiceRequest {
        var record = OTLP.LogRecord()
        record.attributes["exception.stacktrace"] = .stringValue(stack)
        for (key, text) in more { record.attributes[key] = .stringValue(text) }
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [ResourceLogs()]
        for (key, text) in resource {
            request.resourceLogs[0].resource.attributes[key] = .stringValue(text)
        }
        request.resourceLogs[0].scopeLogs = [ScopeLogs()]
        request.resourceLogs[0].scopeLogs[0].logRecords = [record]
        return request
    }

    private static func report(_ name: String) throws -> String {
        String(decoding: try IngestRig.fixture(name), as: UTF8.self)
    }

    private static func exported(
        _ request: ExportLogsServiceRequest, _ settings: IngestFlow.Settings = .init()
    ) async throws -> [UInt8] {
        let rig = try await IngestRig(settings: settings)
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        let batch = try await rig.service.worker.results(after: 0, bytes: .max, for: "test")
            .flatMap(\.batches).first
        return try #require(batch).body
    }

    @Test(
        "reports that list images are symbolicated",
        arguments: ["divide-by-zero.report.ips", "divide-by-zero.legacy.crash"])
    func apple(name: String) async throws {
        let report = try Self.report(name)
        let body = try await Self.exported(Self.request(stack: report))
        let record = try #require(try IngestRig.records(in: body).first)
        let stack = try #require(record.attributes["exception.stacktrace"]?.string)
        #expect(stack.contains("share(_:among:) (Harvest.swift:31:11)"))
        #expect(record.attributes["exception.stacktrace.original"]?.string == report)
        #expect(record.attributes["exception.type"]?.string == "EXC_BREAKPOINT")
        #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(false))
        #expect(record.attributes["symbolist.culprit"]?.string == "share(_:among:)")
    }

    @Test(
        "a version of the resource may have the build",
        arguments: [
            ("1.4.0 (217)", "1.4.0", "217"), ("1.4.0", "1.4.0", nil), ("(217)", "(217)", nil),
            ("1.4.0 ()", "1.4.0 ()", nil), ("1.4 beta (2) (217)", "1.4 beta (2)", "217"),
        ])
    func version(text: String, version: String, build: String?) {
        let parts = VersionWithBuild(text)
        #expect(parts.version == version)
        #expect(parts.build == build)
    }

    @Test("a report beside the stack of another language leaves the record unchanged")
    func besideOthers() async throws {
        let report = try Self.report("divide-by-zero.report.ips")
        let stack = "Error: x\n    at run (/srv/pool.js:42:13)\n" + report
        let request = Self.request(stack: stack)
        #expect(try await Self.exported(request) == request.encoded(as: .protobuf))
        let profiled = try await Self.exported(
            Self.request(stack: report + "\nSystem Profile:\nMemory: 8 GB\n"))
        let record = try #require(try IngestRig.records(in: profiled).first)
        #expect(record.attributes["symbolist.status"]?.string == "symbolicated")
    }

    @Test("a Swift backtrace is read, and its images are missing")
    func swift() async throws {
        let file = projectFolder.appendingPathComponent(
            "Fixtures/Diagnostics/linux-swift-release/engine-index.backtrace.txt")
        let report = try String(contentsOf: file, encoding: .utf8)
        let body = try await Self.exported(Self.request(stack: report))
        let record = try #require(try IngestRig.records(in: body).first)
        #expect(record.attributes["symbolist.status"]?.string == "raw")
        #expect(
            record.attributes["symbolist.images.missing"]
                == .strings(["engine a5a4612391f31a9ef9dd5cc0692d9d875da92822"]))
    }

    @Test(
        "other texts pass unchanged",
        arguments: [
            "java.lang.IllegalStateException: images\n\tat shop.Images.load(Images.java:21)",
            "Traceback (most recent call last):\n  File \"images.py\", line 3, in load\n",
            "goroutine 1 [running]:\nmain.images()\n\t/src/images.go:9 +0x1d\n",
            #"{"images": [], "bug_type": "309"}"#,
            "*** Program crashed: Illegal instruction ***\n\nThread 0 crashed:\n\n0 0x1\n\nImages:\n",
        ])
    func others(text: String) async throws {
        let request = try Self.request(stack: text).encoded(as: .protobuf)
        #expect(
            try await Self.exported(ExportLogsServiceRequest(decoding: request, as: .protobuf))
                == request)
    }

    @Test("a report that another service has symbolicated passes unchanged")
    func symbolicated() async throws {
        var request = Self.request(stack: try Self.report("divide-by-zero.legacy.crash"))
        request.resourceLogs[0].scopeLogs[0].logRecords[0]
            .attributes["exception.symbolicator.failed"] = .boolValue(false)
        #expect(try await Self.exported(request) == request.encoded(as: .protobuf))
    }

    /// What the report, the attributes and the resource of a diagnostic have that identifies a
    /// person or a device.
    private static let attributes = [
        "exception.message": "no cart for jane@example.com", "file": "/Users/jane/a.txt",
    ]
    private static let resource = ["device.id": "D-4711", "service.name": "shop"]

    private static func exported(
        redacting level: RedactionLevel
    ) async throws -> ExportLogsServiceRequest {
        var settings = IngestFlow.Settings()
        settings.enrichment.redaction = level
        var request = Self.request(
            stack: try report("divide-by-zero.report.ips").replacing(
                #""uptime": 68000"#, with: #""crashReporterKey": "F00D""#),
            attributes, resource: resource)
        var other = OTLP.LogRecord()
        other.attributes["file"] = .stringValue("/Users/jane/b.txt")
        request.resourceLogs[0].scopeLogs[0].logRecords.insert(other, at: 0)
        return try ExportLogsServiceRequest(
            decoding: try await exported(request, settings), as: .protobuf)
    }

    @Test("exported diagnostics are redacted if that is configured, with their resource")
    func redacted() async throws {
        for level in [RedactionLevel.standard, .strict] {
            let logs = try await Self.exported(redacting: level).resourceLogs[0]
            let records = logs.scopeLogs[0].logRecords
            try #require(records.count == 2)
            #expect(records[0].attributes["file"]?.string == "/Users/jane/b.txt")
            let attributes = records[1].attributes
            #expect(attributes["file"]?.string == "/Users/USER/a.txt")
            #expect(attributes["exception.message"]?.string?.contains("jane") == false)
            #expect(logs.resource.attributes["device.id"]?.string == "redacted")
            #expect(logs.resource.attributes["service.name"]?.string == "shop")
            let original = try #require(attributes["exception.stacktrace.original"]?.string)
            #expect(original.contains("usedImages"))
            #expect(!original.contains("F00D"))
        }
        let strict = try await Self.exported(redacting: .strict).resourceLogs[0].scopeLogs[0]
        #expect(strict.logRecords[1].attributes["exception.message"]?.string == "redacted")
    }

    @Test("redaction changes neither frames nor their grouping")
    func keepsFrames() async throws {
        let plain = try await Self.exported(redacting: .none).resourceLogs[0].scopeLogs[0]
            .logRecords[1].attributes
        let strict = try await Self.exported(redacting: .strict).resourceLogs[0].scopeLogs[0]
            .logRecords[1].attributes
        for key in [
            "symbolist.fingerprint", "symbolist.culprit", "exception.stacktrace",
            "code.function.name", "code.file.path",
        ] {
            let redacted = try #require(strict[key]?.string)
            #expect(redacted.replacing("/USER/", with: "/ci/") == plain[key]?.string, "\(key)")
        }
        #expect(plain["exception.message"]?.string == "no cart for jane@example.com")
    }
    @Test("diagnostics whose redaction cannot be decoded are exported without values")
    func undecodable() throws {
        var request = Self.request(
            stack: "0 Orchard", ["user.id": "jane", "failed": "no"], resource: Self.resource)
        request.resourceLogs[0].scopeLogs[0].logRecords[0].body = AnyValue(.stringValue("jane"))
        var other = OTLP.LogRecord()
        other.attributes["file"] = .stringValue("b.txt")
        request.resourceLogs[0].scopeLogs[0].logRecords.append(other)
        let encoded = try request.encoded(as: .protobuf)
        for json in ["{", "{}", #"{"resourceLogs":[{"scopeLogs":[{}]}]}"#] {
            let redaction = ExportRedaction(level: .standard, mark: "failed") { _ in
                Array(json.utf8)
            }
            let logs = try ExportLogsServiceRequest(
                decoding: redaction.redacted(encoded), as: .protobuf
            ).resourceLogs[0]
            let records = logs.scopeLogs[0].logRecords
            #expect(logs.resource.attributes["device.id"]?.string == "redacted")
            #expect(records[0].attributes["user.id"]?.string == "redacted")
            #expect(records[0].attributes["failed"]?.string == "no")
            #expect(records[0].body.value?.string == "redacted")
            #expect(records[1] == other)
        }
        let redaction = ExportRedaction(level: .standard, mark: "failed")
        #expect(redaction.redacted(Array("no request".utf8)) == [])
    }

    @Test("private attributes of any type stay in a form that can be exported")
    func typedAttributes() throws {
        var request = Self.request(stack: "0 Orchard", ["failed": "no"])
        for key in ["stack", "vars", "registers", "threadState"] {
            request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes[key] = .intValue(4711)
        }
        let redacted = ExportRedaction(level: .strict, mark: "failed")
            .redacted(try request.encoded(as: .protobuf))
        let record = try ExportLogsServiceRequest(decoding: redacted, as: .protobuf)
            .resourceLogs[0].scopeLogs[0].logRecords[0]
        #expect(record.attributes["exception.stacktrace"]?.string == "0 Orchard")
        for key in ["stack", "vars", "registers", "threadState"] {
            #expect(record.attributes[key]?.string == "redacted")
        }
    }
}
