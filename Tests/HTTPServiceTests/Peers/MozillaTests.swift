import AsyncHTTPClient
import Foundation
import TestSupport
import Testing

@testable import HTTPService

@Suite("Mozilla's symbolication API", .ownThreads)
struct MozillaTests {
    /// The debug IDs of ``Orchard/kitDSYM``, and of the debug file and the program of
    /// ``OwnedApps``.
    static let kit = "4C4C44E355553144A1033964DAADDC310"
    static let press = "25DD36A22F6EEFE70DEE80F4AC6618640"
    static let program = "020202020202020202020202020202020"
    static let stranger = "11111111111111111111111111111111A0"

    private func job(_ modules: [[String]], _ frames: String) -> [UInt8] {
        let map = modules.map { #"["\#($0[0])", "\#($0[1])"]"# }.joined(separator: ", ")
        return Array(#"{"memoryMap": [\#(map)], "stacks": [[\#(frames)]]}"#.utf8)
    }

    private func results(_ answer: Answer) throws -> [String: Any] {
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try answer.list("results").first)
    }

    private func frames(_ answer: Answer) throws -> [[String: Any]] {
        let stacks = try #require(try results(answer)["stacks"] as? [[[String: Any]]])
        return try #require(stacks.first)
    }

    @Test("frames get their function with its inlined calls, and modules whether they were found")
    func frames() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let body = job(
                [
                    ["OrchardKit", Self.kit], ["libc.so.6", Self.stranger], ["bad", "12"],
                    ["not used", "AB"],
                ],
                "[0, 16752], [1, 16], [2, 16], [-1, 65802], [0, -1], [0, 0]")
            let answer = try await service.post("/symbolicate/v5", body)
            let found = try frames(answer)
            #expect(found.map { $0["frame"] as? Int } == Array(0..<6))
            #expect(
                found.map { $0["module"] as? String } == [
                    "OrchardKit", "libc.so.6", "bad", "<unknown>", "OrchardKit", "OrchardKit",
                ])
            #expect(
                found.map { $0["module_offset"] as? String } == [
                    "0x4170", "0x10", "0x10", "0x1010a", "-0x1", "0x0",
                ])
            try #require(found.count == 6)
            #expect(found[0]["function"] as? String == "hash_row")
            #expect(found[0]["function_offset"] as? String == "0x88")
            #expect((found[0]["function_size"] as? String)?.hasPrefix("0x") == true)
            #expect((found[0]["file"] as? String)?.hasSuffix(".c") == true)
            #expect((found[0]["line"] as? Int ?? 0) > 0)
            let inlines = try #require(found[0]["inlines"] as? [[String: Any]])
            #expect(inlines.map { $0["function"] as? String } == ["hash_weight"])
            for frame in found.dropFirst() { #expect(frame["function"] == nil) }
            let modules = try #require(try results(answer)["found_modules"] as? [String: Any])
            #expect(modules["OrchardKit/\(Self.kit)"] as? Bool == true)
            #expect(modules["libc.so.6/\(Self.stranger)"] as? Bool == false)
            #expect(modules["not used/AB"] is NSNull)
            let errors = try #require(
                try results(answer)["module_errors"] as? [String: [[String: String]]])
            #expect(errors["libc.so.6/\(Self.stranger)"]?.first?["name"] == "missing_image")
            #expect(errors["bad/12"]?.first?["name"] == "unknown_image")
            #expect(errors.count == 2)
        }
    }

    @Test("an ELF image is found by the first bytes of its build ID")
    func buildID() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", library(OwnedApps.elfProgram))
            for spelling in [Self.program, Self.program.lowercased()] {
                let answer = try await service.post(
                    "/symbolicate/v5", job([["libx.so", spelling]], "[0, 4112]"))
                #expect(try frames(answer).first?["function"] as? String == "f")
            }
        }
    }

    @Test("any content type is accepted, jobs come in a list, and a header asks for counts")
    func requestForms() async throws {
        try await RunningService.run { service in
            let one = String(decoding: job([["a", "AB"]], "[0, 1]"), as: UTF8.self)
            let body = Array(#"{"jobs": [\#(one), \#(one)], "version": 5}"#.utf8)
            let answer = try await service.post(
                "/symbolicate/v5", body,
                ["content-type": "application/x-www-form-urlencoded", "debug": "True"])
            #expect(try answer.list("results").count == 2)
            let counts = try results(answer)["debug"] as? [String: Int]
            #expect(counts == ["stacks": 1, "frames": 1, "modules": 1, "modules_found": 0])
        }
    }

    @Test("version 4 returns strings")
    func version4() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let answer = try await service.post(
                "/symbolicate/v4",
                job([["Kit", Self.kit], ["b", "AB"]], "[0, 16752], [1, 16], [-1, 2]"))
            let stacks = try answer.object()["symbolicatedStacks"] as? [[String]]
            #expect(stacks == [["hash_row (in Kit)", "0x10 (in b)", "0x2 (in <unknown>)"]])
            #expect(try answer.object()["knownModules"] as? [Bool] == [true, false])
        }
    }

    @Test("a refused request has a title, and the header that lets pages read it")
    func errors() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1_000
            $0.pageOrigins = ["https://pages.example"]
        } use: { service in
            for (body, status) in [
                (Array("{}".utf8), 400), (job([["a", "AB"]], "[1, 1]"), 400),
                (repeated(Array(" ".utf8), beyond: 1_000), 413),
            ] {
                let answer = try await service.post(
                    "/symbolicate/v5", body, ["origin": "https://pages.example"])
                #expect(answer.status == status)
                #expect(answer.header("access-control-allow-origin") == "*")
                #expect((try answer.object()["title"] as? String)?.isEmpty == false)
            }
        }
    }

    @Test("a page of a foreign site is refused without a token unless its site is allowed")
    func pages() async throws {
        let body = job([["a", "AB"]], "[0, 1]")
        let allowed = "https://profiler.firefox.com"
        try await RunningService.run {
            $0.pageOrigins = [allowed]
        } use: { service in
            for (origin, status) in [(allowed, 200), ("https://pages.example", 403), ("null", 403)]
            {
                let headers = ["origin": origin, "sec-fetch-site": "cross-site"]
                let answer = try await service.post("/symbolicate/v5", body, headers)
                #expect(answer.status == status)
                #expect(
                    answer.header("access-control-allow-origin") == (status == 200 ? "*" : nil))
                let preflight = try await service.send(
                    "OPTIONS", "/symbolicate/v5",
                    headers.merging([
                        "access-control-request-method": "POST",
                        "access-control-request-headers": "content-type, x-a",
                    ]) { $1 })
                #expect(preflight.status == 204)
                #expect(preflight.header("access-control-allow-origin") == "*")
                #expect(preflight.header("access-control-allow-headers") == "content-type, x-a")
                #expect(preflight.header("access-control-allow-methods") == "POST, GET, OPTIONS")
                #expect(preflight.header("access-control-max-age") == "86400")
            }
            let other = try await service.post(
                "/v1/lookup", OwnedApps.offsets, ["origin": allowed])
            try expectError(other, 403, "foreign_page")
        }
    }

    @Test("without tokens, preflight requests and other programs get the header that allows pages")
    func defaultService() async throws {
        try await RunningService.run { service in
            for headers in [["origin": "https://profiler.firefox.com"], [:]] {
                let asked = ["access-control-request-headers": "content-type"]
                let preflight = try await service.send(
                    "OPTIONS", "/symbolicate/v5", headers.merging(asked) { $1 })
                #expect(preflight.status == 204)
                #expect(preflight.header("access-control-allow-origin") == "*")
                #expect(preflight.header("access-control-allow-headers") == "content-type")
                #expect(preflight.header("access-control-max-age") == "86400")
            }
            let answer = try await service.post("/symbolicate/v5", job([["a", "AB"]], "[0, 1]"))
            #expect(answer.status == 200)
            #expect(answer.header("access-control-allow-origin") == "*")
            let foreign = try await service.post(
                "/symbolicate/v5", job([["a", "AB"]], "[0, 1]"), ["sec-fetch-site": "cross-site"])
            #expect(foreign.status == 403)
            #expect(foreign.header("access-control-allow-origin") == nil)
        }
    }

    @Test("with tokens, pages of any site may send requests, and need a token")
    func pagesWithTokens() async throws {
        let body = job([["a", "AB"]], "[0, 1]")
        try await RunningService.withOwnedApps { service in
            let page = ["origin": "https://pages.example"]
            for (token, status) in [
                ([:], 401), (OwnedApps.token(.read, of: OwnedApps.mine), 200),
            ] as [([String: String], Int)] {
                let answer = try await service.post(
                    "/symbolicate/v5", body, page.merging(token) { $1 })
                #expect(answer.status == status)
                #expect(answer.header("access-control-allow-origin") == "*")
            }
        }
    }

    @Test("a Breakpad symbol file is made from the index, for the names in any spelling")
    func symbolFile() async throws {
        try await RunningService.run { service in
            _ = try await service.post(
                "/v1/symbols?name=OrchardKit", projectFile(Orchard.kitDSYM))
            _ = try await service.post(
                "/v1/symbols?name=press.debug", projectFile(OwnedApps.elfDebugFile))
            for id in [Self.kit, Self.kit.lowercased()] {
                let answer = try await service.get("/OrchardKit/\(id)/OrchardKit.sym")
                #expect(answer.status == 200)
                #expect(answer.text.hasPrefix("MODULE mac arm64 \(Self.kit) OrchardKit\n"))
                #expect(answer.text.contains(" hash_row\n"))
                let head = try await service.send("HEAD", "/OrchardKit/\(id)/OrchardKit.sym")
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.header("content-length") == "\(answer.body.count)")
            }
            let press = try await service.get("/press/\(Self.press)/press.sym")
            #expect(press.text.hasPrefix("MODULE Linux x86_64 \(Self.press) press.debug\n"))
            for path in ["/a/\(Self.stranger)/a.sym", "/a/xyz/a.sym"] {
                let answer = try await service.get(path)
                #expect(answer.status == 404)
                #expect(answer.header("content-type")?.hasPrefix("text/plain") == true)
            }
            try expectError(try await service.get("/a/b/c"), 404, "no_such_path")
        }
    }
}
