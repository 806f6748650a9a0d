import CallStacks
import EmbeddedDatabase
import Foundation
import OTLP
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Requests that are redacted before they are stored.
@Suite("Redaction on arrival")
struct ArrivalRedactionTests {
    private static let secrets = ["jane@example.com", "/Users/jane/", "F00D", "D-4711"]
    /// The attributes that show how a record was symbolicated.
    private static let results = [
        "symbolist.fingerprint", "symbolist.culprit", "symbolist.status", "exception.stacktrace",
        "code.function.name", "code.file.path",
    ]

    private static func rig(isRedacting: Bool = true) async throws -> IngestRig {
        var settings = IngestFlow.Settings()
        settings.redactsStored = isRedacting
        return try await IngestRig(settings: settings)
    }

    private static func record(_ attributes: [String: String]) -> OTLP.LogRecord {
        var record = OTLP.LogRecord()
        for (key, text) in attributes { record.attributes[key] = .stringValue(text) }
        return record
    }

    private static func request(_ records: [OTLP.LogRecord]) throws -> [UInt8] {
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [ResourceLogs()]
        request.resourceLogs[0].resource.attributes["device.id"] = .stringValue("D-4711")
        request.resourceLogs[0].scopeLogs = [ScopeLogs()]
        request.resourceLogs[0].scopeLogs[0].logRecords = records
        return try request.encoded(as: .protobuf)
    }

    /// A log record without a diagnostic.
    private static let other = record(["file": "/home/mary/b.txt"])

    /// A request with a log record, and one with a report, each with private values.
    private static func crash() throws -> [UInt8] {
        let report = String(
            decoding: try IngestRig.fixture("divide-by-zero.report.ips"), as: UTF8.self
        ).replacing(#""uptime": 68000"#, with: #""crashReporterKey": "F00D""#)
        return try request([
            other,
            record([
                "exception.stacktrace": report, "file": "/Users/jane/a.txt",
                "exception.message": "no cart for jane@example.com",
            ]),
        ])
    }

    private static func contents(of bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private static func storedBody(_ rig: IngestRig) async throws -> [UInt8] {
        let entry = try await rig.database.entries(after: 0, count: 1, bytes: .max).first
        return try #require(entry).draft.body
    }

    @Test("a diagnostic is stored without private values, and other records as received")
    func logs() async throws {
        let rig = try await Self.rig()
        try await rig.service.gateway.accept(.logs, Self.crash())
        let stored = try await Self.storedBody(rig)
        for secret in Self.secrets {
            #expect(Self.contents(of: try Self.crash()).contains(secret))
            #expect(!Self.contents(of: stored).contains(secret), "\(secret)")
        }
        let records = try IngestRig.records(in: stored)
        #expect(records.first == Self.other)
        #expect(records.last?.attributes["file"]?.string == "/Users/USER/a.txt")
        #expect(records.last?.attributes.count == 3)
    }

    @Test("a redacted diagnostic is symbolicated as the received one")
    func symbolication() async throws {
        var exported: [OTLP.LogRecord] = []
        for isRedacting in [false, true] {
            let rig = try await Self.rig(isRedacting: isRedacting)
            try await rig.service.gateway.accept(.logs, Self.crash())
            try await rig.drain()
            exported.append(try #require(try await rig.records().last))
        }
        for key in Self.results {
            let value = try #require(exported[0].attributes[key]?.string)
            #expect(exported[1].attributes[key]?.string == value, "\(key)")
        }
        let redacted = Self.contents(of: try Self.request([exported[1]]))
        for secret in Self.secrets.dropLast() { #expect(!redacted.contains(secret)) }
    }

    @Test("a request without a diagnostic keeps its bytes")
    func withoutDiagnostic() async throws {
        let rig = try await Self.rig()
        let request = try Self.request([
            Self.other, Self.record(["exception.stacktrace": "at run (/Users/jane/pool.js:42)"]),
        ])
        try await rig.service.gateway.accept(.logs, request)
        #expect(try await Self.storedBody(rig) == request)
    }

    @Test("a payload keeps its identifier and frames, and is stored once without private values")
    func payload() async throws {
        let payload = Array(
            Self.contents(of: try IngestRig.fixture("divide-by-zero.crash.json"))
                .replacing("BPT trap: 5", with: "BPT trap: 5, cart of jane@example.com").utf8)
        try #require(Self.contents(of: payload).contains("jane@example.com"))
        var ids: Set<[String]> = []
        var stacks: Set<String> = []
        for isRedacting in [false, true] {
            let rig = try await Self.rig(isRedacting: isRedacting)
            for _ in 0..<2 {
                ids.insert(try await rig.service.gateway.accept(payloads: [payload]))
            }
            try await rig.drain()
            #expect(try await rig.database.entries(after: 1, count: 1, bytes: .max).isEmpty)
            let record = try #require(try await rig.records().first)
            stacks.insert(try #require(record.attributes["exception.stacktrace"]?.string))
            let stored = Self.contents(of: try await Self.storedBody(rig))
            #expect(stored.contains("jane") == !isRedacting)
        }
        #expect(ids.count == 1)
        #expect(stacks.count == 1)
        #expect(stacks.first?.contains("share(_:among:)") == true)
    }

    @Test(
        "a payload with a key of log records, or without JSON, is redacted as well",
        arguments: [
            #"{"message": "cart", "log": {"note": "for jane@example.com"}}"#,
            "0  Orchard  0x1 main + 1\nfor jane@example.com",
        ])
    func payloadLikeRecord(text: String) async throws {
        let rig = try await Self.rig()
        _ = try await rig.service.gateway.accept(payloads: [Array(text.utf8)])
        let stored = Self.contents(of: try await Self.storedBody(rig))
        #expect(!stored.contains("jane"))
        #expect(stored.contains("redacted"))
    }

    @Test("a request is redacted before a stream takes it")
    func stream() async throws {
        let stream = RecordedStream()
        let rig = try await Self.rig()
        let flow = rig.service.producing(to: stream)
        try await flow.gateway.accept(.logs, Self.crash())
        let sent = try #require(stream.drafts.first)
        for secret in Self.secrets { #expect(!Self.contents(of: sent.body).contains(secret)) }
        let again = try #require(flow.arrivalRedaction).redacted(sent)
        #expect(again.key == sent.key)
        #expect(again.body == sent.body)
    }
}

/// A stream that keeps its requests in memory.
private final class RecordedStream: RequestStream {
    private let appended = Mutex<[JournalDraft]>([])

    var drafts: [JournalDraft] { appended.withLock(\.self) }

    func append(_ draft: JournalDraft) async throws(JournalError) -> Bool {
        appended.withLock { $0.append(draft) }
        return true
    }

    func checkRoom() throws(JournalError) {}
}
