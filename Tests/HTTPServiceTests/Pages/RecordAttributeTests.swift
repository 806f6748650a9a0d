import CallStacks
import Foundation
import OTLP
import Synchronization
import TestSupport
import Testing

@testable import HTTPService

@Suite("Attributes of records on pages", .ownThreads)
struct RecordAttributeTests {
    private static func string(_ text: String) -> AnyValue { AnyValue(.stringValue(text)) }

    /// A crash with private attributes of every form, of the record, the resource and the scope.
    private static func request() throws -> [UInt8] {
        var request = try ExportLogsServiceRequest(
            decoding: fixture("divide-by-zero.otlp.json"), as: .json)
        var map = Opentelemetry_Proto_Common_V1_KeyValueList()
        map.values = [
            KeyValue("user.id", string("u-4711")), KeyValue("count", AnyValue(.intValue(3))),
            KeyValue("of jim@example.com", AnyValue(.boolValue(true))),
        ]
        request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes += [
            KeyValue("user.email", string("jane")),
            KeyValue("device.name", string("Jane's iPhone")),
            KeyValue("screen", string("cart of jane.doe@example.com")),
            KeyValue("document", string("/Users/jane/Documents/a.txt")),
            KeyValue("<b>bold</b>\u{202e}", string("<script>\u{202e}\0")),
            KeyValue("tags", AnyValue(.strings(["red", "/home/jane/b"]))),
            KeyValue("cart", AnyValue(.kvlistValue(map))),
            KeyValue("blob", AnyValue(.bytesValue(Data("jane@example.com".utf8)))),
            KeyValue("ratio", AnyValue(.doubleValue(0.5))), KeyValue("none", AnyValue()),
            KeyValue("exception.stacktrace.original", string("the raw stack")),
        ]
        request.resourceLogs[0].resource.attributes.append(
            KeyValue("host.name", string("janes-mac.local")))
        request.resourceLogs[0].scopeLogs[0].scope.attributes = [
            KeyValue("reader", string("key=8f2e11a7"))
        ]
        return try request.encoded(as: .json)
    }

    /// The part of the page of the only diagnostic that has the attributes.
    private static func fold(_ redaction: RedactionLevel) async throws -> String {
        let fold = Mutex("")
        try await RunningService.run {
            $0.redaction = redaction
        } use: { service in
            _ = try await service.post(
                "/v1/logs", request(), ["content-type": "application/json"])
            try await service.drain()
            let row = try #require(
                try await service.get("/v1/diagnostics").list("diagnostics").first)
            let page = try await service.open("/d/\(try #require(row["id"] as? String))")
            let start = try #require(page.text.firstRange(of: "id=\"attributes\"")).lowerBound
            fold.withLock { $0 = String(page.text[start...]) }
        }
        return fold.withLock(\.self)
    }

    /// A row as the page writes it.
    private static func row(_ key: String, _ value: String) -> String {
        "<td><code><bdi>\(key)</bdi></code></td><td><bdi>\(value)</bdi></td>"
    }

    @Test("attributes are listed with what they describe, redacted, and never become markup")
    func attributes() async throws {
        let fold = try await Self.fold(.standard)
        for (key, value) in [
            ("user.email", "redacted"), ("device.name", "redacted"), ("screen", "cart of redacted"),
            ("document", "/Users/USER/Documents/a.txt"),
            ("&lt;b&gt;bold&lt;/b&gt;\u{fffd}", "&lt;script&gt;\u{fffd}\u{fffd}"),
            ("tags", "[&quot;red&quot;,&quot;/home/USER/b&quot;]"),
            (
                "cart",
                "{&quot;user.id&quot;:&quot;redacted&quot;,&quot;count&quot;:3,"
                    + "&quot;of redacted&quot;:true}"
            ), ("blob", "16 bytes"), ("ratio", "0.5"), ("none", ""),
            ("host.name", "janes-mac.local"), ("otel.scope.name", "MetricKit"),
            ("otel.scope.version", "0.0.1"), ("reader", "key=redacted"),
        ] {
            #expect(fold.contains(Self.row(key, value)), "\(key)")
        }
        let subjects = fold.matches(of: /Of the ([a-z]+)</).map { String($0.output.1) }
        #expect(subjects == ["record", "resource", "scope"])
        for secret in ["jane.doe", "jim@", "/jane", "iPhone", "u-4711", "8f2e11a7", "\u{202e}"] {
            #expect(!fold.contains(secret), "\(secret)")
        }
    }

    @Test("attributes with the report name the view that has it")
    func report() async throws {
        let fold = try await Self.fold(.none)
        #expect(!fold.contains("callStack") && !fold.contains("the raw stack"))
        for key in ["exception.stacktrace", "exception.stacktrace.original"] {
            let row = "<td><code><bdi>\(key)</bdi></code></td><td><span class=\"note\">the report,"
            #expect(fold.contains(row), "\(key)")
        }
        #expect(fold.contains("?view=original\">as received</a>"))
        #expect(fold.contains(Self.row("user.email", "jane")), "nothing is redacted")
    }

    @Test("strict redaction removes messages and hosts as well")
    func strict() async throws {
        let fold = try await Self.fold(.strict)
        #expect(fold.contains(Self.row("host.name", "redacted")))
        #expect(!fold.contains("janes-mac"))
    }

    @Test("a record that was made from a MetricKit payload has attributes as well")
    func payload() async throws {
        try await RunningService.run { service in
            let page = try await service.open("/d/\(try await service.receiveCrash())")
            #expect(page.text.contains(Self.row("name", "metrickit.diagnostic.crash")))
            #expect(page.text.contains("Of the resource"))
            let fold = try #require(page.text.firstRange(of: "id=\"attributes\""))
            #expect(!page.text[fold.lowerBound...].contains("callStackRootFrames"))
        }
    }
}
