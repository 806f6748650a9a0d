import CallStacks
import Foundation
import OTLP
import TestSupport
import Testing

@testable import HTTPService

@Suite("Views of a diagnostic", .ownThreads)
struct ViewTests {
    /// The value of the cookie that a response sets.
    private static func cookie(_ answer: Answer) -> String? {
        answer.header("set-cookie")?.firstMatch(of: /symbolist_view=([^;]*)/).map {
            String($0.output.1)
        }
    }

    @Test("a chosen view is remembered for other diagnostics, and a URL overrides it")
    func remembered() async throws {
        try await RunningService.run { service in
            let path = "/d/\(try await service.receiveCrash())"
            #expect(Self.cookie(try await service.open(path)) == nil)
            let chosen = try await service.open(path + "?frames=all&names=mangled")
            let cookie = try #require(Self.cookie(chosen))
            #expect(Set(cookie.split(separator: ".")) == ["all", "mangled"])
            let headers = ["cookie": "symbolist_view=dark.\(cookie)"]
            let later = try await service.open(path, headers)
            #expect(later.text.contains("mangled ×") && later.text.contains("all frames ×"))
            #expect(later.text.contains("href=\"\(path)?frames=folded\""), "the way back")
            #expect(Self.cookie(later) == nil)
            let back = try await service.open(path + "?frames=folded", headers)
            #expect(!back.text.contains("all frames ×") && back.text.contains("mangled ×"))
            #expect(Self.cookie(back) == "dark.mangled", "the colours stay")
            let theme = try await service.open(
                "/view", headers, method: "POST", body: "theme=light&return=%2F")
            #expect(Self.cookie(theme)?.hasPrefix("light.") == true)
            #expect(Self.cookie(theme)?.contains("mangled") == true, "the views stay")
            let hostile = try await service.open(path, ["cookie": "symbolist_view=\"><b>.all"])
            #expect(hostile.text.contains("all frames ×") && !hostile.text.contains("<b>."))
        }
    }

    @Test(
        "choices about the stack show it, whichever view is remembered",
        arguments: ["names=mangled", "paths=full", "frames=all", "thread=0&from=0"])
    func stackChoices(choice: String) async throws {
        try await RunningService.run { service in
            let path = "/d/\(try await service.receiveCrash())"
            let headers = ["cookie": "symbolist_view=original"]
            let remembered = try await service.open(path, headers)
            #expect(!remembered.text.contains("id=\"t0f1\""))
            let chosen = try await service.open("\(path)?\(choice)", headers)
            #expect(chosen.text.contains("id=\"t0f1\""))
            let original = try await service.open("\(path)?\(choice)&view=original", headers)
            #expect(!original.text.contains("id=\"t0f1\""))
            let itself = /href="[^"]*view=original[^"]*" aria-current="true"/
            #expect(original.text.contains(itself), "its link leads to the same view")
        }
    }

    @Test("a diagnostic leads to the newer and the older one of its group")
    func neighbours() async throws {
        try await RunningService.run { service in
            let crash = String(decoding: try fixture("divide-by-zero.crash.json"), as: UTF8.self)
            var ids: [String] = []
            for minute in 10...12 {
                let report = crash.replacing("09:00:00", with: "09:\(minute):00")
                _ = try await service.post("/v1/metrickit", Array(report.utf8))
                try await service.drain()
                let row = try await service.get("/v1/diagnostics").list("diagnostics").first
                ids.append(try #require(row?["id"] as? String))
            }
            #expect(Set(ids).count == 3)
            func links(_ id: String) async throws -> [String] {
                try await service.open("/d/\(id)").text
                    .matches(of: /rel="((?:prev|next)" href="\/d\/[^"]*)"/)
                    .map { String($0.output.1) }
            }
            try #require(ids.count == 3)
            #expect(try await links(ids[0]) == ["prev\" href=\"/d/\(ids[1])"])
            #expect(
                try await links(ids[1]) == [
                    "prev\" href=\"/d/\(ids[2])", "next\" href=\"/d/\(ids[0])",
                ])
            #expect(try await links(ids[2]) == ["next\" href=\"/d/\(ids[1])"])
            for (id, place) in [(ids[0], "3 of 3"), (ids[1], "2 of 3"), (ids[2], "1 of 3")] {
                #expect(try await service.open("/d/\(id)").text.contains(">\(place)</span>"))
            }
        }
    }

    @Test("a report is shown as received, redacted")
    func original() async throws {
        try await RunningService.run { service in
            let text = String(
                decoding: try fixture("divide-by-zero.crash.json"), as: UTF8.self)
            let secret = "jane.doe@example.com"
            let message = text.replacing(
                "\"appBuildVersion\"", with: "\"email\": \"\(secret)\", \"appBuildVersion\"")
            _ = try await service.post("/v1/metrickit", Array(message.utf8))
            try await service.drain()
            let row = try #require(
                try await service.get("/v1/diagnostics").list("diagnostics").first)
            let path = "/d/\(try #require(row["id"] as? String))"
            let page = try await service.open(path + "?view=original")
            #expect(page.text.contains("callStackRootFrames"))
            #expect(page.text.contains("original ×"))
            #expect(!page.text.contains(secret))
            #expect(page.text.contains("href=\"\(path)?download=original\">As received</a>"))
            let file = try await service.open(path + "?download=original")
            #expect(file.header("content-type") == "application/json")
            #expect(file.header("content-disposition")?.hasSuffix(".json\"") == true)
            #expect(file.text.contains("callStackRootFrames"))
            #expect(!file.text.contains(secret))
            for file in [Orchard.dSYM, Orchard.kitDSYM] {
                _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(file))
            }
            #expect(page.text.contains("href=\"\(path)?download=same\">Own format</a>"))
            let own = try await service.open(path + "?download=same")
            #expect(own.header("content-disposition")?.hasSuffix(".json\"") == true)
            #expect(own.text.contains("share(_:among:)") && !file.text.contains("share(_:among:)"))
            #expect(own.text.contains("callStackRootFrames") && !own.text.contains(secret))
            let unknown = try await service.open(path + "?download=originals")
            #expect(unknown.status == 400)
        }
    }

    @Test("a record of a trace links to it by the template")
    func trace() async throws {
        try await RunningService.run {
            $0.pages?.traceLinks = "https://jaeger.example/trace/{trace_id}?uiFind={span_id}"
        } use: { service in
            var request = try ExportLogsServiceRequest(
                decoding: fixture("divide-by-zero.otlp.json"), as: .json)
            request.resourceLogs[0].scopeLogs[0].logRecords[0].traceID = Data(
                repeating: 0xab, count: 16)
            request.resourceLogs[0].scopeLogs[0].logRecords[0].spanID = Data(
                repeating: 0xcd, count: 8)
            _ = try await service.post(
                "/v1/logs", request.encoded(as: .json), ["content-type": "application/json"])
            try await service.drain()
            let row = try #require(
                try await service.get("/v1/diagnostics").list("diagnostics").first)
            let path = "/d/\(try #require(row["id"] as? String))"
            let page = try await service.open(path)
            let (trace, span) = (
                String(repeating: "ab", count: 16), String(repeating: "cd", count: 8)
            )
            #expect(
                page.text.contains("href=\"https://jaeger.example/trace/\(trace)?uiFind=\(span)\""))
            let original = try await service.open(path + "?view=original")
            #expect(original.text.contains("exception.stacktrace"))
            let file = try await service.open(path + "?download=original")
            #expect(file.text.hasPrefix("{") && file.text.contains("exception.stacktrace"))
            let own = try await service.open(path + "?download=same")
            #expect(own.text.hasPrefix("{") && own.text.contains("exception.stacktrace"))
        }
    }

    @Test("refused uploads are listed with the reason, and with the image that they were meant for")
    func refused() async throws {
        try await RunningService.run { service in
            _ = try await service.receiveCrash()
            _ = try await service.post(
                "/v1/symbols?\(Orchard.build)", Array("no debug file".utf8))
            for path in ["/missing", "/builds"] {
                let page = try await service.open(path)
                #expect(page.text.contains("Refused uploads"), "\(path)")
                #expect(page.text.contains("com.example.orchard 1.4.0 (217)"), "\(path)")
            }
        }
    }
}
