import CallStacks
import Foundation
import OTLP
import TestSupport
import Testing

@testable import HTTPService
@testable import Ingest

@Suite("Groups and flame graphs over HTTP", .ownThreads)
struct GroupRouteTests {
    private func withReports(
        _ use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.dSYM))
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            for name in ["divide-by-zero.crash", "index-rebuild.hang", "array-index.crash"] {
                _ = try await service.post("/v1/metrickit", fixture("\(name).json"))
                try await service.drain()
            }
            try await use(service)
        }
    }

    @Test("groups are listed, filtered, paged and shown with versions and days")
    func groups() async throws {
        try await withReports { service in
            let list = try await service.get("/v1/groups")
            let groups = try list.list("groups")
            #expect(groups.count == 3)
            #expect(try list.object()["kinds"] as? [String: Int] == ["crash": 2, "hang": 1])
            let crash = try #require(
                groups.first { $0["culprit"] as? String == "share(_:among:)" })
            #expect(crash["diagnostics"] as? Int == 1)
            #expect(crash["unreadable"] as? Int == 0)
            let hangs = try await service.get(
                "/v1/groups?kind=hang&app=com.example.Orchard&version=1.4.0&sort=count")
            #expect(try hangs.list("groups").count == 1)
            #expect(try await service.get("/v1/groups?q=SHARE").list("groups").count == 1)
            let first = try await service.get("/v1/groups?limit=2")
            let next = try #require(try first.object()["next"] as? String)
            let rest = try await service.get("/v1/groups?limit=2&before=\(next)")
            #expect(try first.list("groups").count == 2)
            #expect(try rest.list("groups").count == 1)
            #expect(try rest.object()["next"] == nil)
            let fingerprint = try #require(crash["fingerprint"] as? String)
            let shown = try await service.get("/v1/groups/\(fingerprint)").list("groups")
            #expect((shown.first?["versions"] as? [[String: Any]])?.count == 1)
            #expect((shown.first?["days"] as? [[String: Any]])?.count == 1)
        }
    }

    @Test("unknown groups, positions and values are refused")
    func refused() async throws {
        try await RunningService.run { service in
            try expectError(try await service.get("/v1/groups/none"), 404, "not_found")
            try expectError(try await service.get("/v1/groups?before=x"), 400, "bad_before")
            try expectError(try await service.get("/v1/groups?version=1"), 400, "app_missing")
            try expectError(try await service.get("/v1/groups?sort=x"), 400, "unknown_sort")
            try expectError(try await service.get("/v1/groups?limit=501"), 400, "bad_limit")
            try expectError(try await service.get("/v1/flame"), 400, "subject_missing")
            try expectError(
                try await service.get("/v1/flame?app=a&version=1&kind=crash"), 400, "unknown_kind")
            try expectError(
                try await service.get("/v1/flame?fingerprint=none"), 404, "not_found")
        }
    }

    @Test("lists, groups and diagnostics are redacted like pages", arguments: [true, false])
    func redacted(isRedacted: Bool) async throws {
        try await RunningService.run {
            $0.redaction = isRedacted ? .standard : .none
        } use: { service in
            var request = try ExportLogsServiceRequest(
                decoding: fixture("divide-by-zero.otlp.json"), as: .json)
            let exception = "metrickit.diagnostic.crash.exception.objc"
            request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes += [
                KeyValue("\(exception).name", AnyValue(.stringValue("NSRangeException"))),
                KeyValue(
                    "\(exception).message", AnyValue(.stringValue("no cart for jane@example.com"))),
            ]
            _ = try await service.post(
                "/v1/logs", request.encoded(as: .json), ["content-type": "application/json"])
            try await service.drain()
            let list = try await service.get("/v1/diagnostics")
            let row = try #require(try list.list("diagnostics").first)
            let answers = [
                list, try await service.get("/v1/groups"),
                try await service.get("/v1/groups/\(row["fingerprint"] ?? "")"),
                try await service.get("/v1/diagnostics/\(row["id"] ?? "")"),
            ]
            for answer in answers {
                #expect(answer.text.contains("no cart for "))
                #expect(answer.text.contains("jane@example.com") == !isRedacted)
            }
        }
    }

    @Test(
        "the hangs of a version are one flame graph, by samples or by devices, which follows arrivals"
    )
    func flame() async throws {
        try await withReports { service in
            let path = "/v1/flame?app=com.example.Orchard&version=1.4.0"
            func graph(_ query: String = "") async throws -> [String: Any] {
                try await service.get(path + query).object()
            }
            let one = try await graph()
            #expect(one["diagnostics"] as? Int == 1 && one["of"] as? Int == 1)
            let total = try #require(one["total"] as? Int)
            #expect(total > 0)
            let functions = try #require(one["functions"] as? [[String: Any]])
            #expect(functions.contains { $0["name"] as? String == "rebuildIndex(rows:)" })
            let nodes = try #require(one["nodes"] as? [[String: Any]])
            #expect(nodes.reduce(0) { $0 + ($1["own"] as? Int ?? 0) } == total)

            var again = String(decoding: try fixture("index-rebuild.hang.json"), as: UTF8.self)
            again.replace("09:00:00", with: "09:00:01")
            _ = try await service.post("/v1/metrickit", Array(again.utf8))
            try await service.drain()
            let two = try await graph()
            #expect(two["diagnostics"] as? Int == 2)
            #expect(two["total"] as? Int == 2 * total)
            #expect(try await graph("&by=devices")["total"] as? Int == 2_000_000)
            let compared = try await graph("&against=1.3.0")
            #expect(compared["total_before"] as? Int == 0)
            #expect(compared["diagnostics_before"] as? Int == 0)
            let collapsed = try await service.get(path + "&format=collapsed")
            #expect(collapsed.text.contains(";rebuildIndex(rows:);"))
            let speedscope = try await service.get(path + "&format=speedscope").object()
            #expect((speedscope["profiles"] as? [Any])?.count == 1)
            let hang = try await service.get("/v1/groups?kind=hang").list("groups").first
            let fingerprint = try #require(hang?["fingerprint"] as? String)
            let group = try await service.get("/v1/flame?fingerprint=\(fingerprint)").object()
            #expect(group["total"] as? Int == 2 * total)
        }
    }

    @Test("the status has the queue, the store, coverage and refused uploads")
    func status() async throws {
        try await withReports { service in
            _ = try await service.post(
                "/v1/symbols?\(Orchard.build)", Array("no debug file".utf8))
            let status = try await service.get("/v1/status").object()
            let queue = try #require(status["queue"] as? [String: Any])
            #expect(queue["requests"] as? Int == 0)
            #expect((status["store"] as? [String: Any])?["symbol_bytes"] as? Int ?? 0 > 0)
            #expect((status["exporters"] as? [Any])?.isEmpty == true)
            #expect(queue["limit_bytes"] as? Int == 1 << 30)
            let day = try #require(status["last_day"] as? [String: Int])
            #expect(day.values.reduce(0, +) == 3)
            let store = try #require(status["store"] as? [String: Any])
            #expect(store["database_bytes"] as? Int ?? 0 > 0)
            #expect(store["index_bytes"] as? Int ?? 0 > 0)
            let coverage = try #require((status["coverage"] as? [[String: Any]])?.first)
            #expect(coverage["version"] as? String == "1.4.0")
            #expect(coverage["diagnostics"] as? Int == 3)
            let refused = try #require((status["refused_uploads"] as? [[String: Any]])?.first)
            #expect(refused["app"] as? String == "com.example.orchard")
            #expect(refused["reason"] is String)
        }
    }

    @Test("the status of an exporter has its attempts, its last error and its last success")
    func exporters() {
        let board = ExporterStatusBoard()
        #expect(board.status(of: "otel") == ExporterStatusBoard.Status())
        board.record(
            .retry(reason: "503", after: nil), of: .logs, by: "otel", at: UnixTime(rawValue: 1))
        board.record(
            .retry(reason: "504", after: nil), of: .logs, by: "otel", at: UnixTime(rawValue: 2))
        board.record(
            .accepted(rejectedCount: 0, message: ""), of: .traces, by: "otel",
            at: UnixTime(rawValue: 3))
        var status = board.status(of: "otel")
        #expect(status.failedAttempts == 2)
        #expect(status.lastError == "504" && status.lastErrorTime == UnixTime(rawValue: 2))
        #expect(status.lastSuccess == UnixTime(rawValue: 3))
        board.record(
            .accepted(rejectedCount: 0, message: ""), of: .logs, by: "otel",
            at: UnixTime(rawValue: 4))
        status = board.status(of: "otel")
        #expect(status.failedAttempts == 0 && status.lastError == "504")
    }
}
