import Foundation
import Ingest
import OTLP
import TestSupport
import Testing

@testable import HTTPService

/// Metric payloads, from the request to the averages.
@Suite("Metrics of app versions", .ownThreads)
struct AppMetricsTests {
    private let recently = DayNumber.text(Int(Date().timeIntervalSince1970 / 86_400) - 1)

    private func post(_ payloads: [String], to service: RunningService) async throws {
        let body = "[\(payloads.joined(separator: ","))]"
        let answer = try await service.post("/v1/metrickit", Array(body.utf8))
        #expect(answer.status == 202, "\(answer.text)")
        try await service.drain()
    }

    /// Days from some devices, each with three launches of about this duration.
    private func days(
        _ version: String, _ count: Int, firstDraw: Int, app: String = "com.example.orchard"
    ) -> [String] {
        (0..<count).map {
            OrchardMetrics.day(
                version: version, app: app, firstDraw: [(firstDraw + $0 % 4, 3)],
                hangs: [(500, 2)], foregroundMinutes: 60, end: "\(recently) 23:00:00 +0000",
                note: "-\($0)")
        }
    }

    @Test("a metric payload is exported as spans once, however often it is posted")
    func spans() async throws {
        try await RunningService.run { service in
            for _ in 0..<2 { try await post([OrchardMetrics.everything], to: service) }
            let batches = try await service.flow.worker.results(after: 0, bytes: .max, for: "test")
                .flatMap(\.batches)
            #expect(batches.map(\.signal) == [.traces])
            #expect(batches.map(\.recordCount) == [3])
            let request = try ExportTraceServiceRequest(
                decoding: batches.first?.body ?? [], as: .protobuf)
            let spans = request.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans)
            #expect(spans.map(\.attributes.count) == [57, 7, 3])
        }
    }

    @Test("averages of versions are weighted and rated, and payloads are counted once")
    func versions() async throws {
        try await RunningService.run { service in
            let first = OrchardMetrics.day(
                version: "1.4.0", firstDraw: [(300, 3)], end: "2026-10-20 23:00:00 +0000")
            let second = OrchardMetrics.day(
                version: "1.4.0", firstDraw: [(700, 1)], end: "2026-10-21 23:00:00 +0000")
            let mixed = OrchardMetrics.day(
                version: "1.4.0", firstDraw: [(9_000, 1)], end: "2026-10-21 23:00:00 +0000",
                spansSeveralVersions: true)
            try await post([first, second, mixed], to: service)
            try await post([second, first], to: service)
            let list = try await service.get("/v1/metrics/versions?app=com.example.orchard")
                .list("versions")
            let version = try #require(list.first)
            #expect(list.count == 1)
            #expect(version["version"] as? String == "1.4.0")
            #expect(version["payloads"] as? Int == 2)
            #expect(version["left_out"] as? Int == 1)
            #expect(version["first_day"] as? String == "2026-10-20")
            #expect(version["last_day"] as? String == "2026-10-21")
            let metrics = try #require(version["metrics"] as? [String: [String: Any]])
            let draw = try #require(metrics["time_to_first_draw"])
            #expect(metrics.count == 1)
            #expect(abs((draw["average"] as? Double ?? 0) - 400) < 1e-9)
            #expect(abs((draw["payload_average"] as? Double ?? 0) - 500) < 1e-9)
            #expect(draw["samples"] as? Double == 4)
            #expect(draw["payloads"] as? Int == 2)
            #expect(draw["unit"] as? String == "ms")
            #expect(draw["good"] as? Double == 400 && draw["bad"] as? Double == 2_000)
            let byDay = try await service.get(
                "/v1/metrics/versions?by=day&since=2026-10-21&until=2026-10-21"
            ).list("versions")
            #expect(byDay.map { $0["payloads"] as? Int } == [1])
        }
    }

    @Test(
        "regressions contain both averages and sample counts, and small samples are listed separately"
    )
    func regressions() async throws {
        try await RunningService.run { service in
            try await post(days("1.9.0", 30, firstDraw: 300), to: service)
            try await post(days("1.10.0", 30, firstDraw: 600), to: service)
            let few =
                days("1", 5, firstDraw: 300, app: "com.example.cider")
                + days("2", 5, firstDraw: 900, app: "com.example.cider")
            try await post(few, to: service)
            let answer = try await service.get("/v1/metrics/regressions").object()
            let rows = try #require(answer["regressions"] as? [[String: Any]])
            #expect(rows.map { $0["metric"] as? String } == ["time_to_first_draw"])
            let row = try #require(rows.first)
            #expect(row["app"] as? String == "com.example.orchard")
            #expect(row["verdict"] as? String == "regression")
            let from = try #require(row["from"] as? [String: Any])
            let to = try #require(row["to"] as? [String: Any])
            #expect(from["version"] as? String == "1.9.0" && to["version"] as? String == "1.10.0")
            #expect(from["samples"] as? Double == 90 && to["payloads"] as? Int == 30)
            let uncertain = try #require(answer["uncertain"] as? [[String: Any]])
            #expect(uncertain.map { $0["app"] as? String } == ["com.example.cider"])
            #expect(uncertain.map { $0["verdict"] as? String } == ["too_few_samples"])
            let back = try await service.get(
                "/v1/metrics/regressions?app=com.example.orchard&from=1.10.0&to=1.9.0")
            #expect(try back.list("regressions").isEmpty)
            #expect(try back.list("compared").count == 1)
            let huge = try await service.get("/v1/metrics/regressions?change=200")
            #expect(try huge.list("regressions").isEmpty)
        }
    }

    @Test("the newest versions and the thresholds are exposed to Prometheus")
    func exposition() async throws {
        try await RunningService.run { service in
            try await post(days("1.4.0", 1, firstDraw: 500), to: service)
            try await post(
                days("1 \\\"x\\\"", 1, firstDraw: 700, app: "com.example.cider"), to: service)
            let text = try await service.get("/metrics").text
            let labels =
                #"{app="com.example.orchard",version="1.4.0",metric="time_to_first_draw",unit="s"}"#
            #expect(text.contains("\nsymbolist_app_metric\(labels) 0.5\n"))
            #expect(text.contains("\nsymbolist_app_metric_samples\(labels) 3.0\n"))
            #expect(text.contains(#"app="com.example.cider",version="1 \"x\"","#))
            #expect(
                text.contains(
                    "\nsymbolist_app_metric_threshold{level=\"bad\",metric=\"scroll_hitch_ratio\",")
            )
            let figures = try await service.get("/metrics/figures").text
            #expect(figures.contains("\nsymbolist_app_metric\(labels) 0.5\n"))
            #expect(!figures.contains("symbolist_queue_bytes"))
            let family = try Exposition(text).families["symbolist_app_metric_threshold"]
            #expect(family?.samples.count == 16)
        }
    }

    @Test("a token for one app sees only that app's metrics")
    func tokens() async throws {
        try await RunningService.run {
            $0.tokens = Tokens([
                .init(token: "in", scopes: [.ingest], app: nil),
                .init(token: "cider", scopes: [.read], app: "com.example.cider"),
            ])
        } use: { service in
            let body = Array(days("1.4.0", 1, firstDraw: 500)[0].utf8)
            let headers = TokenTests.bearer("in")
            #expect(try await service.post("/v1/metrickit", body, headers).status == 202)
            try await service.drain()
            let cider = TokenTests.bearer("cider")
            #expect(
                try await service.get("/v1/metrics/versions", cider).list("versions").isEmpty)
            #expect(try await !service.get("/metrics", cider).text.contains("orchard"))
            try expectError(
                try await service.get("/v1/metrics/regressions?app=com.example.orchard", cider),
                403, "wrong_app")
            try expectError(
                try await service.get("/v1/metrics/versions", headers), 403, "scope_missing")
        }
    }

    @Test(
        "invalid parameters are rejected",
        arguments: [
            ("versions?since=yesterday", 400, "bad_since"), ("versions?limit=0", 400, "bad_limit"),
            ("versions?by=hour", 400, "unknown_by"),
            ("regressions?change=much", 400, "bad_change"),
            ("regressions?change=nan", 400, "bad_change"),
            ("regressions?from=9&to=10", 404, "not_found"),
        ])
    func wrongParameters(path: String, status: Int, code: String) async throws {
        try await RunningService.run { service in
            try expectError(try await service.get("/v1/metrics/\(path)"), status, code)
        }
    }

    @Test("a truncated payload is accepted and exported with an error")
    func half() async throws {
        try await RunningService.run { service in
            let half = String(OrchardMetrics.everything.prefix(900))
            let answer = try await service.post("/v1/metrickit", Array(half.utf8))
            #expect(answer.status == 202, "\(answer.text)")
            try await service.drain()
            let batches = try await service.flow.worker.results(after: 0, bytes: .max, for: "test")
                .flatMap(\.batches)
            #expect(batches.map(\.signal) == [.traces])
            #expect(try await service.get("/v1/metrics/versions").list("versions").isEmpty)
        }
    }
}
