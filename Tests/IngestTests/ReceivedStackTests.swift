import Foundation
import OTLP
import TestSupport
import Testing

@testable import Ingest

/// Records that have several values which an enriched record has only one of.
@Suite("Received stacks of a record")
struct ReceivedStackTests {
    private static let stackKey = "exception.stacktrace"
    private static let hangKey = "metrickit.diagnostic.hang.exception.stacktrace_json"

    /// Returns the call-stack tree of a crash of the fixtures.
    private static func tree() throws -> String {
        let request = try IngestRig.request("divide-by-zero.otlp.json")
        let record = try #require(request.resourceLogs.first?.scopeLogs.first?.logRecords.first)
        return try #require(record.attributes[stackKey]?.string)
    }

    private static func exported(
        _ attributes: [(String, String)], isFailed: Bool = false
    ) async throws -> OTLP.LogRecord {
        var record = OTLP.LogRecord()
        if isFailed { record.attributes["exception.symbolicator.failed"] = .boolValue(true) }
        for (key, text) in attributes {
            var attribute = KeyValue()
            attribute.key = key
            attribute.value.stringValue = text
            record.attributes.append(attribute)
        }
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [ResourceLogs()]
        request.resourceLogs[0].scopeLogs = [ScopeLogs()]
        request.resourceLogs[0].scopeLogs[0].logRecords = [record]
        let rig = try await IngestRig()
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        return try #require(try await rig.records().first)
    }

    @Test("a sender's own stack trace is kept if the stack is in another attribute")
    func ownStack() async throws {
        let tree = try Self.tree()
        let record = try await Self.exported([(Self.hangKey, tree), (Self.stackKey, "own")])
        #expect(record.attributes[Self.stackKey]?.string?.contains("Harvest.swift") == true)
        #expect(record.attributes["exception.stacktrace.original"]?.string == "own")
        #expect(record.attributes[Self.hangKey]?.string == tree)
        let alone = try await Self.exported([(Self.hangKey, tree)])
        #expect(alone.attributes["exception.stacktrace.original"]?.string == tree)
    }

    @Test(
        "a record that another service could not symbolicate is read from the stack it received",
        arguments: ["Crash\n\nThread 0 crashed:\n0  Orchard + 16\n", #"{"threads":[]}"#])
    func failedElsewhere(stack: String) async throws {
        let tree = try Self.tree()
        let original = "exception.stacktrace.original"
        let name = ("name", "metrickit.diagnostic.crash")
        let error = ("exception.symbolicator.error", "missing_image: Orchard")
        let record = try await Self.exported(
            [name, error, (Self.stackKey, stack), (original, tree)], isFailed: true)
        #expect(record.attributes[Self.stackKey]?.string?.contains("Harvest.swift") == true)
        #expect(record.attributes[original]?.string == tree)
        #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(false))
        #expect(record.attributes[error.0]?.string != error.1)
        let alone = try await Self.exported([name, error, (Self.stackKey, stack)], isFailed: true)
        #expect(alone.attributes[Self.stackKey]?.string == stack)
        #expect(alone.attributes[error.0]?.string == error.1)
        #expect(alone.attributes["symbolist.status"] == nil)
    }

    @Test("only a crash gets an exception, even if the report of a hang names one")
    func exceptions() async throws {
        for (kind, name) in [("crash", "EXC_CRASH"), ("hang", nil)] {
            let tree = try Self.tree()
            let report = #"{"version":"1.0.0","diagnosticMetaData":{"exceptionType":10},"#
            let record = try await Self.exported([
                (
                    "metrickit.diagnostic.\(kind).exception.stacktrace_json",
                    report + #""callStackTree":\#(tree)}"#
                )
            ])
            #expect(record.attributes["symbolist.status"]?.string == "symbolicated")
            #expect(record.attributes["exception.type"]?.string == name)
        }
    }

    @Test("of attributes with equal keys, the same one is read and replaced")
    func equalKeys() async throws {
        let tree = try Self.tree()
        let first = try await Self.exported([(Self.stackKey, tree), (Self.stackKey, "other")])
        let stacks = first.attributes.filter { $0.key == Self.stackKey }.map(\.value.stringValue)
        #expect(stacks.first?.contains("Harvest.swift") == true)
        #expect(stacks.dropFirst() == ["other"])
        #expect(first.attributes["exception.stacktrace.original"]?.string == tree)
        let last = try await Self.exported([(Self.stackKey, "other"), (Self.stackKey, tree)])
        #expect(last.attributes["symbolist.status"] == nil)
    }
}
