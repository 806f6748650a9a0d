import Decompression
import Foundation
import ReportFormats
import TestSupport
import Testing

@testable import HTTPService

@Suite("Symbolicating a report", .ownThreads)
struct SymbolicateTests {
    /// Runs a test with the symbols of the sample app.
    private func withSymbols(
        use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        try await RunningService.run { service in
            #expect(try await service.post("/v1/symbols", projectFile(Orchard.dSYM)).status == 201)
            #expect(
                try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM)).status == 201)
            try await use(service)
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test(
        "every report is symbolicated",
        arguments: ["crash", "otlp", "otlp-nested", "flat", "tree", "diagnostic"])
    func kinds(name: String) async throws {
        let body = try fixture("divide-by-zero.\(name).json")
        try await withSymbols { service in
            let answer = try await service.post("/v1/symbolicate", body)
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == "application/json")
            let object = try answer.object()
            #expect(object["status"] as? String == "symbolicated")
            #expect(object["culprit"] as? String == "share(_:among:)")
            let text = try await service.post("/v1/symbolicate?format=text", body)
            #expect(text.header("content-type") == "text/plain; charset=utf-8")
            #expect(text.text.contains("share(_:among:) (Harvest.swift:31:11)"))
        }
    }

    @Test(
        "Accept chooses between text and JSON, and the query takes precedence",
        arguments: [
            ("", "text/plain", true), ("", "text/plain;q=0.9, application/json", false),
            ("", "application/json;q=0.1, text/*", true), ("", "*/*", false),
            ("", "text/html, text/plain, */*;q=0.5", true), ("", "image/png", false),
            ("?format=json", "text/plain", false), ("?format=text", "application/json", true),
        ])
    func accept(query: String, header: String, isText: Bool) async throws {
        let body = try fixture("divide-by-zero.crash.json")
        try await RunningService.run { service in
            let answer = try await service.post("/v1/symbolicate\(query)", body, ["accept": header])
            #expect(answer.status == 200)
            #expect(answer.header("content-type")?.hasPrefix("text/plain") == isText)
        }
    }

    @Test("the file offsets of perf's samples are looked up as on the command line")
    func fileOffsets() async throws {
        let id = [UInt8](repeating: 9, count: 20)
        var file = ELFBuilder.library(buildID: id)
        file.add([.init("f", at: 0x1010, size: 0x10)])
        file.segments.append(.init(type: 1, at: 0x1000, offset: 0x400, fileSize: 0x100))
        file.sections[0].type = 1
        file.sections[0].contents = [UInt8](repeating: 0x90, count: 0x100)
        let program = file.bytes()
        let text = """
            PERF_RECORD_MMAP2 7/7: [0x55f414109000(0x1000) @ 0x400 <\(identity(9))>]: r-xp /src/f
            f 7   986.175482:     250000 cycles:
            \t             418 [unknown] (/src/f)
            \t    55f41410901c [unknown] (/src/f)

            """
        try await RunningService.run { service in
            #expect(try await service.post("/v1/symbols", program).status == 201)
            let answer = try await service.post("/v1/symbolicate", Array(text.utf8))
            let threads = try #require(try answer.object()["threads"] as? [[String: Any]])
            let frames = try #require(threads.first?["frames"] as? [[String: Any]])
            #expect(frames.map { $0["function"] as? String } == ["f", "f"])
            #expect(frames.map { $0["offset"] as? Int } == [0x1018, 0x101c])
        }
    }

    @Test("a body without a report, and an unknown format, are rejected")
    func refused() async throws {
        try await RunningService.run { service in
            for body in ["", "hello", "{}", "[1,2]", "{\"timeStampBegin\":\"2026-01-01\"}"] {
                try expectError(
                    try await service.post("/v1/symbolicate", Array(body.utf8)), 422,
                    "no_diagnostic")
            }
            try expectError(
                try await service.post("/v1/symbolicate?format=xml", []), 400, "unknown_format",
                "'xml' is unknown: use text, json, same, crash, markdown, collapsed or speedscope")
        }
    }

    @Test(
        "an address in an image that is linked to a fixed address is found",
        arguments: [0, 1 << 22])
    func fixedAddress(base: UInt64) async throws {
        var library = ELFBuilder.library(base: base)
        library.add([.init("press", at: base + 0x1010, size: 0x10)])
        let build = (1...20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let address = String(base + 0x1014, radix: 16)
        let report = "      #00 pc \(address)  /data/app/libpress.so (BuildId: \(build))\n"
        let bytes = library.bytes()
        try await RunningService.run { service in
            #expect(try await service.post("/v1/symbols", bytes).status == 201)
            let answer = try await service.post(
                "/v1/symbolicate?format=text", Array(report.utf8))
            #expect(answer.text.contains("press + 4"), "\(answer.text)")
        }
    }

    @Test("a crash can be returned as an Apple report, and every report as Markdown")
    func writtenForms() async throws {
        let crash = try fixture("divide-by-zero.crash.json")
        let hang = try fixture("index-rebuild.hang.json")
        try await withSymbols { service in
            let apple = try await service.post("/v1/symbolicate?format=crash", crash)
            #expect(apple.header("content-type") == "text/plain; charset=utf-8")
            #expect(apple.text.contains(" share(_:among:) + "))
            #expect(apple.text.hasSuffix("\nEOF\n"))
            let markdown = try await service.post("/v1/symbolicate?format=markdown", hang)
            #expect(markdown.header("content-type") == "text/markdown; charset=utf-8")
            #expect(markdown.text.contains("### Heaviest path, "))
            try expectError(
                try await service.post("/v1/symbolicate?format=crash", hang), 406, "no_crash_form",
                "report 1 of 1: sampled stacks cannot be written as crash text")
        }
    }

    @Test("sampled stacks can be returned as profiles for other tools")
    func profiles() async throws {
        let crash = try fixture("divide-by-zero.crash.json")
        let hang = try fixture("index-rebuild.hang.json")
        try await withSymbols { service in
            let collapsed = try await service.post("/v1/symbolicate?format=collapsed", hang)
            #expect(collapsed.header("content-type") == "text/plain; charset=utf-8")
            let lines = collapsed.text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.split(separator: " ").last.flatMap { Int($0) } != nil })
            #expect(lines.contains { $0.contains(";rebuildIndex(rows:);") })
            let speedscope = try await service.post("/v1/symbolicate?format=speedscope", hang)
            #expect(speedscope.header("content-type") == "application/json")
            #expect(try speedscope.object()["profiles"] is [Any])
            try expectError(
                try await service.post("/v1/symbolicate?format=collapsed", crash), 406,
                "no_samples", "report 1 of 1: has no sampled stacks")
            try expectError(
                try await service.post("/v1/symbolicate?by=war", hang), 400, "unknown_by",
                "function, line")
        }
    }

    @Test("a report can be returned in its own format, with names in place of addresses")
    func same() async throws {
        let json = try fixture("divide-by-zero.crash.json")
        let crash = Array(
            """
            Thread 0 Crashed:
            0   OrchardKit                    \t0x0000000105b44170 0x105b40000 + 16752

            Binary Images:
            0x105b40000 - 0x105b4ffff OrchardKit arm64e  <4c4c44e355553144a1033964daaddc31> /K

            """.utf8)
        try await withSymbols { service in
            let text = try await service.post("/v1/symbolicate?format=same", crash)
            #expect(text.status == 200)
            #expect(text.header("content-type") == "text/plain; charset=utf-8")
            #expect(text.text.contains("hash_weight + 12 (Index.c:16) [inlined]\n1   OrchardKit"))
            #expect(text.text.hasSuffix("<4c4c44e355553144a1033964daaddc31> /K\n"))
            let object = try await service.post("/v1/symbolicate?format=same", json)
            #expect(object.header("content-type") == "application/json")
            #expect(try object.object()["crashDiagnostics"] != nil)
        }
    }

    private func zip(_ files: [(name: String, bytes: [UInt8])], flags: UInt16 = 0) -> [UInt8] {
        var zip = ZipBuilder()
        for file in files { zip.add(Array(file.name.utf8), file.bytes, flags: flags) }
        return zip.bytes()
    }

    @Test("all reports of an archive are symbolicated, but only one in its own format")
    func archive() async throws {
        let json = try fixture("divide-by-zero.crash.json")
        let one = zip([("a.json", json), ("notes.txt", Array("hello".utf8))])
        let two = zip([("a.json", json), ("b.json", json)])
        try await withSymbols { service in
            let path = "/v1/symbolicate?format="
            let answer = try await service.post(path + "json", two)
            let list = try JSONSerialization.jsonObject(with: Data(answer.text.utf8))
            #expect(
                (list as? [[String: Any]])?.map { $0["status"] as? String } == [
                    "symbolicated", "symbolicated",
                ])
            let text = try await service.post(path + "text", two)
            #expect(text.text.components(separatedBy: "Division by zero").count > 2)
            let same = try await service.post(path + "same", one)
            #expect(same.text == (try await service.post(path + "same", json)).text)
            try expectError(
                try await service.post(path + "same", two), 422, "several_reports",
                "2 files of the archive contain reports")
        }
    }

    @Test("problems of archives and compressed files are reported")
    func wrapped() async throws {
        let none = zip([("notes.txt", Array("hello".utf8))])
        let secret = zip([("a.json", [1, 2])], flags: 1)
        let plcrash = zip([("a.plcrash", Array("plcrash\u{1}".utf8))])
        let cut = try CompressedBody(gzipping: fixture("divide-by-zero.crash.json")).bytes
        try await RunningService.run { service in
            for (body, message) in [
                (none, "contains no crash or hang report"),
                (secret, "body/a.json: is encrypted"),
                (plcrash, "PLCrashReporter"),
            ] {
                try expectError(
                    try await service.post("/v1/symbolicate", body), 422, "no_diagnostic", message)
            }
            let answer = try await service.post("/v1/symbolicate", Array(cut.prefix(cut.count / 2)))
            #expect(
                try (answer.object()["remarks"] as? [String])?.contains("json_truncated") == true)
        }
    }

    @Test(
        "a file without a report is refused with its reason",
        arguments: [
            (library(1), "is a symbol file"), (Array("bplist00".utf8), "binary property list"),
            (Array("0x104a1c758\n0x104a1c760\n".utf8), "addresses but no images"),
            ([], "is empty"), (Array("hello".utf8), #"(begins with "hello")"#),
        ])
    func noReport(body: [UInt8], message: String) async throws {
        try await RunningService.run { service in
            try expectError(
                try await service.post("/v1/symbolicate", body), 422, "no_diagnostic", message)
            let part = ("name=\"apple_crash_report\"; filename=\"a\"", body)
            let peer = try await service.post(
                "/applecrashreport", UploadTests.form([part]), UploadTests.multipart)
            #expect(peer.status == 400)
            #expect(peer.text.contains(message.replacing("\"", with: "\\\"")), "\(peer.text)")
        }
    }

    @Test("options of the command line are parameters of the query")
    func options() async throws {
        let body = try fixture("divide-by-zero.crash.json")
        try await withSymbols { service in
            func text(_ query: String) async throws -> String {
                try await service.post("/v1/symbolicate?format=text&\(query)", body).text
            }
            #expect(try await text("").contains("[inlined]"))
            #expect(try await !text("no-inline=1").contains("[inlined]"))
            #expect(try await !text("").contains("/Harvest.swift:31"))
            #expect(try await text("full-paths").contains("/Harvest.swift:31"))
            #expect(try await text("redact=strict").contains("Redacted:"))
            for (query, code) in [
                ("redact=much", "unknown_redact"), ("details=maybe", "bad_details"),
                ("uuid=Orchard", "bad_uuid"),
            ] {
                try expectError(
                    try await service.post("/v1/symbolicate?\(query)", body), 400, code,
                    String(code.split(separator: "_")[1]))
            }
        }
    }
}
