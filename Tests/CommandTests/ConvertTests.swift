import Foundation
import TestSupport
import Testing

/// `symbolist convert` on payloads of the sample app.
@Suite("convert", .ownThreads)
struct ConvertTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func spans(_ run: Run) throws -> [[String: Any]] {
        try scopes(run, "resourceSpans", "scopeSpans").flatMap {
            $0["spans"] as? [[String: Any]] ?? []
        }
    }

    private func records(_ run: Run) throws -> [[String: Any]] {
        try scopes(run, "resourceLogs", "scopeLogs").flatMap {
            $0["logRecords"] as? [[String: Any]] ?? []
        }
    }

    private func scopes(_ run: Run, _ outer: String, _ inner: String) throws -> [[String: Any]] {
        let resources = try run.object()[outer] as? [[String: Any]] ?? []
        return resources.flatMap { $0[inner] as? [[String: Any]] ?? [] }
    }

    @Test("a metric payload is converted to spans in one line of OTLP JSON")
    func metrics() throws {
        let file = try workspace.file("metrics.json", text: OrchardMetrics.everything)
        let run = try workspace.symbolist("convert", file, "--to", "otlp")
        #expect(run.status == 0)
        #expect(run.problems == ["\(file): 3 spans, 0 log records; 0 values not understood"])
        #expect(run.text.split(separator: "\n").count == 1)
        let spans = try spans(run)
        #expect(spans.map { $0["name"] as? String }.first == "MXMetricPayload")
        #expect((spans.first?["attributes"] as? [Any])?.count == 57)
        #expect((spans.first?["traceId"] as? String)?.count == 32)
        let again = try workspace.symbolist("convert", "-", input: OrchardMetrics.everything)
        #expect(
            try self.spans(again).first?["spanId"] as? String == spans.first?["spanId"] as? String)
    }

    @Test("each diagnostic becomes a span and a record with the received stack")
    func diagnostics() throws {
        let run = try workspace.symbolist(
            "convert", "\(Orchard.diagnostics)/several.payload.json", inProject: true)
        #expect(run.status == 0)
        #expect(run.problems.count == 1)
        #expect(try spans(run).map { $0["name"] as? String } == ["MXDiagnosticPayload"])
        #expect(
            try records(run).map { $0["eventName"] as? String } == [
                "metrickit.diagnostic.app_launch", "metrickit.diagnostic.disk_write_exception",
                "metrickit.diagnostic.hang", "metrickit.diagnostic.crash",
            ])
    }

    @Test("dates without a zone are in the given one, or else assumed to be in UTC")
    func zone() throws {
        let payload =
            #"{"timeStampBegin": "2026-11-20 01:00:00", "timeStampEnd": "2026-11-20 01:00:00", "appVersion": "1", "metaData": {}, "cpuMetrics": {}}"#
        for (options, end, remark) in [
            (["--zone", "-0500"], 1_795_154_400, false), (["--zone=+08:00"], 1_795_107_600, false),
            ([], 1_795_136_400, true),
        ] {
            let run = try workspace.run(
                executable.path, ["convert", "-"] + options, input: payload,
                environment: [:], in: workspace.folder)
            #expect(run.status == 0, "\(run.problems)")
            let span = try #require(try spans(run).first)
            #expect(span["endTimeUnixNano"] as? String == "\(end)000000000", "\(options)")
            #expect(run.text.contains("zone_assumed_utc") == remark, "\(options)")
        }
        let run = try workspace.symbolist("convert", "-", "--zone", "CET", input: payload)
        #expect(run.status == 2)
        #expect(run.problems.first?.contains("'CET' is not an offset from UTC") == true)
    }

    @Test("every payload of a batch is converted, whatever else the batch contains")
    func batch() throws {
        let crash = String(decoding: try Orchard.bytes(Orchard.crash), as: UTF8.self)
        let run = try workspace.symbolist(
            "convert", "-", input: "[\(OrchardMetrics.everything), \(crash), {\"unheard\": 1}]")
        #expect(run.status == 1)
        #expect(try spans(run).count == 3 + 1)
        #expect(try records(run).count == 1)
        #expect(run.problems.last?.hasSuffix("; 1 value not understood") == true)
    }

    @Test("a truncated payload is converted up to its end, with a message")
    func half() throws {
        let run = try workspace.symbolist(
            "convert", "-", input: String(OrchardMetrics.everything.prefix(900)))
        #expect(run.status == 1)
        #expect(try spans(run).count == 1)
        #expect(run.problems.count == 2)
    }

    @Test("input without a payload ends with 3", arguments: ["", "hello", "{}", "[]", "17"])
    func nothing(input: String) throws {
        let run = try workspace.symbolist("convert", "-", input: input)
        #expect(run.status == 3)
        #expect(run.output.isEmpty)
        #expect(run.problems.count == 1)
    }

    @Test("wrong usage and missing files are errors")
    func errors() throws {
        #expect(try workspace.symbolist("convert").status == 2)
        #expect(try workspace.symbolist("convert", "a", "--to", "xml").status == 2)
        let missing = try workspace.symbolist("convert", "missing.json")
        #expect(missing.status == 1)
        #expect(missing.problems.count == 1)
    }
}
