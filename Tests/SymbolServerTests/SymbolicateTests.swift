import CrashFiles
import Decompression
import Foundation
import TestSupport
import Testing

@testable import SymbolServer

@Suite("Symbolicating one diagnostic")
struct SymbolicateTests {
    /// With the symbols of the sample app.
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
        "any diagnostic is answered with its stack",
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
        "Accept chooses between text and JSON, and the query is above it",
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

    @Test("what holds no diagnostic, and a format that is not known, are refused")
    func refused() async throws {
        try await RunningService.run { service in
            for body in ["", "hello", "{}", "[1,2]", "{\"timeStampBegin\":\"2026-01-01\"}"] {
                try expectError(
                    try await service.post("/v1/symbolicate", Array(body.utf8)), 422,
                    "no_diagnostic")
            }
            try expectError(
                try await service.post("/v1/symbolicate?format=xml", []), 400, "unknown_format",
                "'xml' is not known: ask for text, json, same, crash or markdown")
        }
    }

    @Test("a crash is answered as an Apple report, and any report as Markdown")
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
                "report 1 of 1: its stacks were sampled")
        }
    }

    @Test("a report in its own form is answered in that form, with names where it had addresses")
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

    @Test("all reports of an archive are answered, and in its own form one")
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
                "2 files of the archive hold reports")
        }
    }

    @Test("of archives and compressed files what cannot be answered is told")
    func wrapped() async throws {
        let none = zip([("notes.txt", Array("hello".utf8))])
        let secret = zip([("a.json", [1, 2])], flags: 1)
        let plcrash = zip([("a.plcrash", Array("plcrash\u{1}".utf8))])
        let cut = try CompressedBody(gzipping: fixture("divide-by-zero.crash.json")).bytes
        try await RunningService.run { service in
            for (body, message) in [
                (none, "holds no crash or hang report"),
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

    @Test("an archive that unpacks to more than a body may have is too large")
    func limit() async throws {
        let spaces = [UInt8](repeating: 0x20, count: 600)
        let archive = zip([("a", spaces), ("b", spaces)])
        #expect(throws: RequestError.self) {
            try ReportFile.all(in: archive, byteLimit: 1_000, CrashFileReader())
        }
    }
}
