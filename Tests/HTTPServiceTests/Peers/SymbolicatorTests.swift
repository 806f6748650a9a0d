import CallStacks
import Foundation
import TestSupport
import Testing

@testable import HTTPService

@Suite("Symbolicator's API", .ownThreads)
struct SymbolicatorTests {
    /// A list of addresses in the framework of ``Orchard``, in an unknown image, and in no image.
    private func body(_ options: String = "{}") -> [UInt8] {
        Array(
            """
            {"platform": "cocoa", "signal": 6, "sources": [{"url": "http://127.0.0.1:1/"}], "options": \(options),
             "modules": [
                {"type": "macho", "debug_id": "\(Orchard.kit.lowercased())", "code_file": "/x/OrchardKit",
                 "image_addr": "0x100000", "image_size": 65536},
                {"type": "elf", "code_id": "\(identity(9))", "image_addr": "0x200000", "image_size": 4096},
                {"type": "strange", "image_addr": "0x300000", "image_size": 4096},
                {"type": "macho", "debug_id": "damaged", "image_addr": "0x400000", "image_size": 4096},
                {"type": "elf", "image_addr": "0x500000", "image_size": 4096}],
             "stacktraces": [{"thread_id": 7, "thread_name": "main", "is_requesting": true,
                "registers": {"pc": "0x104170"},
                "frames": [{"instruction_addr": "0x104170", "trust": "context"},
                    {"instruction_addr": "0x200011", "function": "known"},
                    {"instruction_addr": "0x900000"}, {"instruction_addr": "0x300001"},
                    {"instruction_addr": "0x400001"}]}]}
            """.utf8)
    }

    private func frames(_ object: [String: Any]) throws -> [[String: Any]] {
        let threads = try #require(object["stacktraces"] as? [[String: Any]])
        return try #require(threads.first?["frames"] as? [[String: Any]])
    }

    @Test("frames and modules have the form of the protocol")
    func addressList() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let answer = try await service.post(
                "/symbolicate?scope=global", body(#"{"dif_candidates": true}"#))
            #expect(answer.status == 200, "\(answer.text)")
            let object = try answer.object()
            #expect(object["status"] as? String == "completed")
            #expect(object["signal"] as? Int == 6)
            let thread = try #require((object["stacktraces"] as? [[String: Any]])?.first)
            #expect(thread["thread_id"] as? Int == 7)
            #expect(thread["is_requesting"] as? Bool == true)
            #expect(thread["registers"] as? [String: String] == ["pc": "0x104170"])
            let frames = try frames(object)
            #expect(
                frames.map { $0["status"] as? String } == [
                    "symbolicated", "symbolicated", "missing", "unknown_image", "missing",
                    "missing",
                ])
            #expect(frames.map { $0["original_index"] as? Int } == [0, 0, 1, 2, 3, 4])
            try #require(frames.count == 6)
            #expect(frames[0]["function"] as? String == "hash_weight")
            #expect(frames[1]["function"] as? String == "hash_row")
            #expect(frames[0]["instruction_addr"] as? String == "0x104170")
            #expect(frames[0]["sym_addr"] == nil)
            #expect(frames[1]["sym_addr"] as? String == "0x1040e8")
            #expect(frames[1]["package"] as? String == "/x/OrchardKit")
            #expect(frames[1]["lang"] as? String == "c")
            #expect((frames[1]["lineno"] as? Int ?? 0) > 0)
            #expect(
                (frames[1]["abs_path"] as? String)?.hasSuffix(
                    frames[1]["filename"] as? String ?? "?") == true)
            #expect(frames[0]["trust"] as? String == "context")
            #expect(frames[2]["function"] as? String == "known")
            let modules = try #require(object["modules"] as? [[String: Any]])
            #expect(
                modules.map { $0["debug_status"] as? String } == [
                    "found", "missing", "missing", "missing", "unused",
                ])
            #expect(
                modules.map { $0["type"] as? String } == [
                    "macho", "elf", "unknown", "macho", "elf",
                ])
            try #require(modules.count == 5)
            #expect(modules[0]["arch"] as? String == "arm64")
            #expect(
                modules[0]["features"] as? [String: Bool] == [
                    "has_debug_info": true, "has_unwind_info": false, "has_symbols": true,
                    "has_sources": false,
                ])
            let candidates = try #require(modules[0]["candidates"] as? [[String: Any]])
            #expect((candidates.first?["download"] as? [String: Any])?["status"] as? String == "ok")
        }
    }

    @Test("the address of a resolved frame is that of the process, if its module's place is known")
    func relativeAddresses() async throws {
        let body = """
            {"modules": [
                {"type": "macho", "debug_id": "\(Orchard.kit.lowercased())", "image_addr": "0x100000"},
                {"type": "macho", "debug_id": "\(Orchard.kit.lowercased())"}],
             "stacktraces": [{"frames": [
                {"instruction_addr": "0x4170", "addr_mode": "rel:0"},
                {"instruction_addr": "0x4174", "addr_mode": "rel:1"},
                {"instruction_addr": "0xfffff0", "addr_mode": "rel:0"}]}]}
            """
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let frames = try frames(
                try await service.post("/symbolicate", Array(body.utf8)).object())
            let whole = frames.filter { $0["sym_addr"] != nil || $0["function"] == nil }
            #expect(
                whole.map { $0["instruction_addr"] as? String }
                    == ["0x104170", "0x4174", "0xfffff0"])
            #expect(whole.map { $0["addr_mode"] as? String } == [nil, "rel:1", "rel:0"])
            #expect(whole.map { $0["sym_addr"] as? String } == ["0x1040e8", "0x40e8", nil])
        }
    }

    @Test("frames sent outermost first are returned in that order")
    func callerFirst() async throws {
        @Sendable func body(_ order: String, _ addresses: [String]) -> [UInt8] {
            let frames = addresses.map { #"{"instruction_addr": "\#($0)"}"# }
            return Array(
                """
                {"options": {"frame_order": "\(order)"},
                 "modules": [{"type": "macho", "debug_id": "\(Orchard.kit.lowercased())",
                    "image_addr": "0x100000", "image_size": 65536}],
                 "stacktraces": [{"frames": [\(frames.joined(separator: ","))]}]}
                """.utf8)
        }
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let inner = try frames(
                try await service.post(
                    "/symbolicate", body("callee_first", ["0x104170", "0x104174"])
                ).object())
            #expect(inner.first?["function"] as? String == "hash_weight")
            let outer = try frames(
                try await service.post(
                    "/symbolicate", body("caller_first", ["0x104174", "0x104170"])
                ).object())
            #expect(outer.last?["original_index"] as? Int == 0)
            #expect(outer.last?["instruction_addr"] as? String == "0x104170")
            #expect(outer.first?["original_index"] as? Int == 1)
            for key in ["function", "instruction_addr", "filename"] {
                #expect(
                    outer.map { $0[key] as? String } == inner.reversed().map { $0[key] as? String })
            }
            for key in ["original_index", "lineno"] {
                #expect(outer.map { $0[key] as? Int } == inner.reversed().map { $0[key] as? Int })
            }
        }
    }

    @Test("a client that does not wait gets an identifier, and the reply once")
    func pending() async throws {
        try await RunningService.withOwnedApps { service in
            let mine = OwnedApps.token(.read, of: OwnedApps.mine)
            let waited = try await service.post("/symbolicate?timeout=30", body(), mine)
            #expect(try waited.object()["status"] as? String == "completed")
            let first = try await service.post("/symbolicate?timeout=0", body(), mine)
            let object = try first.object()
            guard object["status"] as? String == "pending" else { return }
            let id = try #require(object["request_id"] as? String)
            let other = OwnedApps.token(.read, of: OwnedApps.other)
            #expect(try await service.get("/requests/\(id)?timeout=30", other).status == 404)
            let reply = try await service.get("/requests/\(id)?timeout=30", mine)
            #expect(try reply.object()["status"] as? String == "completed")
            #expect(try await service.get("/requests/\(id)", mine).status == 404)
        }
    }

    @Test("errors have a detail, and the status of the protocol")
    func errors() async throws {
        try await RunningService.run {
            $0.bodyLimit = 2_000
        } use: { service in
            for (path, content, status) in [
                ("/symbolicate", Array("{}".utf8), 422), ("/symbolicate?timeout=x", body(), 400),
                ("/symbolicate", repeated(Array(" ".utf8), beyond: 2_000), 413),
                ("/applecrashreport", Array("x".utf8), 400),
            ] as [(String, [UInt8], Int)] {
                let answer = try await service.post(path, content)
                #expect(answer.status == status, "\(answer.text)")
                #expect((try answer.object()["detail"] as? String)?.isEmpty == false)
            }
            #expect(try await service.get("/requests/none").status == 404)
            #expect(try await service.get("/healthcheck").text == "ok")
        }
    }

    @Test("a scope is an app, and a bound token has its own")
    func scope() async throws {
        try await RunningService.withOwnedApps { service in
            let mine = OwnedApps.token(.ingest, of: OwnedApps.mine)
            for (scope, status) in [(OwnedApps.mine, 200), ("global", 200), (OwnedApps.other, 403)]
            {
                let answer = try await service.post("/symbolicate?scope=\(scope)", body(), mine)
                #expect(answer.status == status, "\(scope)")
            }
        }
    }

    @Test(
        "a crash report is read in both of Apple's formats",
        arguments: ["report.ips", "legacy.crash"])
    func crashReport(ending: String) async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", try Orchard.packed("tar czf $out ."))
            let form = UploadTests.form([
                ("name=sources", Array("[]".utf8)),
                ("name=apple_crash_report; filename=a", try fixture("divide-by-zero.\(ending)")),
            ])
            let answer = try await service.post("/applecrashreport", form, UploadTests.multipart)
            #expect(answer.status == 200, "\(answer.text)")
            let object = try answer.object()
            #expect(object["status"] as? String == "completed")
            #expect(object["crashed"] as? Bool == true)
            #expect((object["timestamp"] as? Int ?? 0) > 0)
            let system = try #require(object["system_info"] as? [String: String])
            #expect(system["os_name"] != nil && system["cpu_arch"] != nil, "\(system)")
            #expect(object["crash_reason"] as? String == "EXC_BREAKPOINT (SIGTRAP)")
            let threads = try #require(object["stacktraces"] as? [[String: Any]])
            let crashed = threads.filter { $0["is_requesting"] as? Bool == true }
            #expect(crashed.count == 1)
            let frames = try #require(crashed.first?["frames"] as? [[String: Any]])
            #expect(frames.contains { ($0["function"] as? String)?.contains("share") == true })
            #expect(frames.first?["instruction_addr"] is String)
            let modules = try #require(object["modules"] as? [[String: Any]])
            #expect(modules.contains { $0["debug_status"] as? String == "found" })
        }
    }

    @Test("a form without a report is refused")
    func missingReport() async throws {
        try await RunningService.run { service in
            let form = UploadTests.form([("name=options", Array("{}".utf8))])
            let answer = try await service.post("/applecrashreport", form, UploadTests.multipart)
            #expect(answer.status == 400)
            #expect(try answer.object()["detail"] as? String == "missing apple crash report")
        }
    }
}

@Suite("Symbol sources of Sentry", .ownThreads)
struct SymbolSourceTests {
    @Test("files are found by path in each layout, and by identity")
    func layouts() async throws {
        let dSYM = try projectFile(Orchard.kitDSYM)
        let debug = try projectFile(OwnedApps.elfDebugFile)
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols?name=OrchardKit", dSYM)
            _ = try await service.post("/v1/symbols?name=press.debug", debug)
            let mac = Orchard.kit.lowercased().filter { $0 != "-" }
            let elf = OwnedApps.elfDebugImage
            for (path, file) in [
                ("\(mac.prefix(2))/\(mac.dropFirst(2))/debuginfo", dSYM),
                ("_.dwarf/mach-uuid-sym-\(mac)/_.dwarf", dSYM),
                ("\(elf.prefix(2))/\(elf.dropFirst(2)).debug", debug),
                ("_.debug/elf-buildid-sym-\(elf)/_.debug", debug),
            ] {
                let answer = try await service.get("/debug-files/\(path)")
                #expect(answer.status == 200, "\(path)")
                #expect(answer.body == file, "\(path)")
            }
            let missing = "/debug-files/\(mac.prefix(2))/\(mac.dropFirst(2))/executable"
            #expect(try await service.get(missing).status == 404)
            for query in [
                "debug_id=\(Orchard.kit.lowercased())", "code_id=\(mac)&debug_id=x",
                "code_id=\(elf)", "debug_id=25dd36a2-2f6e-efe7-0dee-80f4ac661864",
            ] {
                let answer = try await service.get("/sentry-source/?\(query)")
                let list =
                    try JSONSerialization.jsonObject(with: Data(answer.body)) as? [[String: String]]
                let found = try #require(list?.first, "\(query): \(answer.text)")
                let isELF = found["symbolType"] == "elf"
                #expect(
                    found["symbolType"]
                        == (query.contains(mac) || query.contains("4c4c") ? "macho" : "elf"))
                let file = try await service.get("/sentry-source/?id=\(found["id"] ?? "")")
                #expect(file.body == (isELF ? debug : dSYM))
            }
            #expect(try await service.get("/sentry-source/").text == "[]")
            #expect(try await service.get("/sentry-source/?id=x").status == 404)
        }
    }
    @Test(
        "an Apple system image serves lookups and is sent to no client",
        arguments: ["", "?\(Orchard.build)"])
    func systemImage(query: String) async throws {
        let id = String(repeating: "a1", count: 16)
        try await RunningService.run { service in
            let file = CachedLibrary.examples[0].dylib.bytes()
            #expect(try await service.post("/v1/symbols\(query)", file).status == 201)
            for path in [
                "/buildid/\(id)/executable", "/buildid/\(id)/debuginfo", "/a/\(id)0/a.sym",
                "/debug-files/a/mach-uuid-\(id)/a",
                "/debug-files/_.dwarf/mach-uuid-sym-\(id)/_.dwarf",
            ] {
                #expect(try await service.get(path).status == 404, "\(path)")
            }
            #expect(try await service.get("/sentry-source?code_id=\(id)").text == "[]")
            let job = Array(#"{"memoryMap": [["a", "\#(id)0"]], "stacks": [[[0, 1]]]}"#.utf8)
            let answer = try await service.post("/symbolicate/v5", job)
            #expect(answer.text.contains(#""found_modules":{"a/\#(id)0":true}"#), "\(answer.text)")
        }
    }
}
