import CallStacks
import Foundation
import TestSupport
import Testing

@testable import HTTPService
@testable import SymbolIntake

@Suite("The debuginfod protocol", .ownThreads)
struct DebuginfodTests {
    static let folder = "Symbols/linux-cpp-gcc-dwarf4"
    static let find = "/usr/bin/debuginfod-find"

    /// The build ID of the program and its debug file.
    static let id = OwnedApps.elfDebugImage

    private func path(_ id: String, _ rest: String) -> String { "/buildid/\(id)/\(rest)" }

    private func upload(_ path: String, to service: RunningService) async throws {
        let answer = try await service.post("/v1/symbols?name=press.debug", projectFile(path))
        #expect(answer.status == 201, "\(answer.text)")
    }

    @Test("a debug file is sent whole, with the headers of the protocol")
    func debugFile() async throws {
        let file = try projectFile("\(Self.folder)/press.debug")
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            for spelling in [Self.id, Self.id.uppercased()] {
                let answer = try await service.get(path(spelling, "debuginfo"))
                #expect(answer.status == 200)
                #expect(answer.body == file)
                #expect(answer.header("content-type") == "application/octet-stream")
                #expect(answer.header("x-debuginfod-size") == "\(file.count)")
                #expect(answer.header("x-debuginfod-file") == "press.debug")
                #expect(answer.header("cache-control") == "public")
                #expect(answer.header("last-modified")?.hasSuffix(" GMT") == true)
            }
            let head = try await service.send("HEAD", path(Self.id, "debuginfo"))
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.header("x-debuginfod-size") == "\(file.count)")
            #expect(head.header("content-length") == "\(file.count)")
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("a range of a file is sent, and one after its end is refused")
    func ranges() async throws {
        let file = try projectFile("\(Self.folder)/press.debug")
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            func get(_ range: String, _ headers: [String: String] = [:]) async throws -> Answer {
                try await service.get(
                    path(Self.id, "debuginfo"), headers.merging(["range": range]) { $1 })
            }
            let middle = try await get("bytes=1000-1999")
            #expect(middle.status == 206)
            #expect(middle.body == Array(file[1000..<2000]))
            #expect(middle.header("content-range") == "bytes 1000-1999/\(file.count)")
            #expect(try await get("bytes=-5").body == file.suffix(5))
            let after = try await get("bytes=\(file.count)-")
            #expect(after.status == 416)
            #expect(after.header("content-range") == "bytes */\(file.count)")
            let tag = try #require(middle.header("etag"))
            #expect(try await get("bytes=0-1", ["if-range": tag]).status == 206)
            #expect(try await get("bytes=0-1", ["if-range": "\"other\""]).body == file)
        }
    }

    @Test("a client that has the file already gets 304 without content")
    func conditions() async throws {
        let file = try projectFile("\(Self.folder)/press.debug")
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            func get(_ headers: [String: String]) async throws -> Answer {
                try await service.get(path(Self.id, "debuginfo"), headers)
            }
            let whole = try await get([:])
            let tag = try #require(whole.header("etag"))
            let date = try #require(whole.header("last-modified"))
            for headers in [
                ["if-none-match": tag], ["if-none-match": "\"other\", W/\(tag)"],
                ["if-none-match": "*"], ["if-modified-since": date],
                ["if-none-match": tag, "range": "bytes=0-1"],
            ] {
                let answer = try await get(headers)
                #expect(answer.status == 304, "\(headers)")
                #expect(answer.body.isEmpty)
                #expect(answer.header("etag") == tag)
            }
            for headers in [
                ["if-none-match": "\"other\""], ["if-modified-since": "yesterday"],
                ["if-modified-since": "Sun, 22 Nov 2015 20:21:55 GMT"],
                ["if-none-match": "\"other\"", "if-modified-since": date],
            ] {
                let answer = try await get(headers)
                #expect(answer.status == 200, "\(headers)")
                #expect(answer.body == file)
            }
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("files that are not stored, and sources, are not found, in a line of text")
    func misses() async throws {
        let dSYM = Orchard.kit.lowercased().filter { $0 != "-" }
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            for path in [
                path(Self.id, "executable"), path(Self.id, "source/src/press.cpp"),
                path(Self.id, "section/.nothing"),
                path(Self.id, "section/.text"), path(identity(9), "debuginfo"),
                path(dSYM, "debuginfo"),
                path(dSYM, "executable"),
            ] {
                let answer = try await service.get(path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.header("content-type")?.hasPrefix("text/plain") == true)
                #expect(answer.text.contains("not found"), "\(path)")
            }
            #expect(try await service.get(path("xyz", "debuginfo")).status == 400)
        }
    }

    @Test("files are no longer public once a reload has added tokens")
    func tokensAdded() async throws {
        let tokens = Tokens([])
        try await RunningService.run {
            $0.tokens = tokens
        } use: { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            let before = try await service.get(path(Self.id, "debuginfo"))
            #expect(before.header("cache-control") == "public")
            tokens.replace(with: Tokens([.init(token: "own", scopes: [.read], app: nil)]))
            let after = try await service.get(
                path(Self.id, "debuginfo"), ["authorization": "Bearer own"])
            #expect(after.status == 200)
            #expect(after.header("cache-control") == "private")
        }
    }

    @Test("an upload ends a miss, and an executable is found beside the debug file of another app")
    func arrival() async throws {
        let image = try #require(ImageID(Self.id))
        let executable = program(buildID: image.bytes)
        try await RunningService.withOwnedApps { service in
            let reader = OwnedApps.token(.read, of: OwnedApps.mine)
            for kind in ["executable", "debuginfo"] {
                #expect(try await service.get(path(Self.id, kind), reader).status == 404)
            }
            _ = try await service.upload(executable, of: OwnedApps.mine)
            let all = OwnedApps.token(.upload, of: nil)
            let debug = try projectFile("\(Self.folder)/press.debug")
            #expect(try await service.post("/v1/symbols", debug, all).status == 201)
            let sent = try await service.get(path(Self.id, "executable"), reader)
            #expect(sent.body == executable)
            #expect(sent.header("cache-control") == "private")
            #expect(try await service.get(path(Self.id, "debuginfo"), reader).body == debug)
            let other = OwnedApps.token(.read, of: OwnedApps.other)
            #expect(try await service.get(path(Self.id, "executable"), other).status == 404)
        }
    }

    @Test(
        "the executable and the debug file of one build ID are both sent, in whatever order they came",
        arguments: [["press", "press.debug"], ["press.debug", "press"], ["archive"]])
    func pairs(names: [String]) async throws {
        let files = try ["press", "press.debug"].map { try projectFile("\(Self.folder)/\($0)") }
        try await RunningService.run { service in
            var statuses: [String] = []
            for name in names {
                var upload = name == "press" ? files[0] : files[1]
                if name == "archive" {
                    var zip = ZipBuilder()
                    zip.add("press", files[0])
                    zip.add("press.debug", files[1])
                    upload = zip.bytes()
                }
                let answer = try await service.post("/v1/symbols?name=\(name)", upload)
                statuses += try answer.list("files").compactMap { $0["status"] as? String }
            }
            // Without its debug file, an image that is stripped of all symbols is not stored.
            let isRefused = names.first == "press"
            #expect(Set(statuses) == [isRefused ? "rejected" : "stored", "indexed"])
            guard !isRefused else { return }
            #expect(try await service.get(path(Self.id, "executable")).body == files[0])
            #expect(try await service.get(path(Self.id, "debuginfo")).body == files[1])
            #expect(try await service.get(path(Self.id, "section/.text")).status == 200)
            let again = try await service.post("/v1/symbols?name=press", files[0])
            #expect(try again.list("files").first?["status"] as? String == "duplicate")
            let found = try await service.get("/metadata?key=buildid&value=\(Self.id)")
            let types = try found.list("results").map { $0["type"] as? String }
            #expect(types == ["debuginfo", "executable"])
            #expect(try await service.send("DELETE", "/v1/symbols/\(Self.id)").status == 200)
            #expect(try await service.get(path(Self.id, "executable")).status == 404)
            #expect(try await service.storage.blobs.names().isEmpty)
        }
    }

    @Test("the symbols of an executable are replaced by its debug file, and the code is still sent")
    func replaced() async throws {
        let image = try #require(ImageID(Self.id))
        let executable = program(buildID: image.bytes)
        try await RunningService.run { service in
            #expect(try await service.post("/v1/symbols", executable).status == 201)
            try await upload("\(Self.folder)/press.debug", to: service)
            #expect(try await service.get(path(Self.id, "executable")).body == executable)
            let files = try await service.get("/v1/symbols").list("files")
            let beside = try #require(files.first?["executable"] as? [String: Any])
            #expect(beside["bytes"] as? Int == executable.count)
        }
    }

    @Test("a request waits for a file that is being stored")
    func waiting() async throws {
        let file = try projectFile("\(Self.folder)/press.debug")
        try await RunningService.run { service in
            let image = try #require(ImageID(Self.id))
            try await service.storage.arrivingImages.containing([image]) {
                async let answer = service.get(path(Self.id, "debuginfo"))
                try await Task.sleep(for: .milliseconds(300))
                #expect(try await service.post("/v1/symbols", file).status == 201)
                #expect(try await answer.body == file)
            }
        }
    }

    @Test("a file larger than the client wants is refused with 406")
    func sizeLimit() async throws {
        let file = try projectFile("\(Self.folder)/press.debug")
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            for (limit, status) in [(file.count - 1, 406), (file.count, 200), (0, 200)] {
                let answer = try await service.get(
                    path(Self.id, "debuginfo"), ["x-debuginfod-maxsize": "\(limit)"])
                #expect(answer.status == status)
            }
        }
    }

    @Test("metadata lists the files of a name, a pattern and a build ID")
    func metadata() async throws {
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            for query in [
                "key=glob&value=*", "key=glob&value=/press.*", "key=file&value=press.debug",
                "key=buildid&value=\(Self.id)",
            ] {
                let answer = try await service.get("/metadata?\(query)")
                #expect(try answer.object()["complete"] as? Bool == true)
                let results = try answer.list("results") as? [[String: String]]
                #expect(
                    results == [["type": "debuginfo", "buildid": Self.id, "file": "/press.debug"]],
                    "\(query): \(answer.text)")
            }
            #expect(
                try await service.get("/metadata?key=glob&value=nothing").list("results").isEmpty)
            for query in ["", "key=glob", "key=name&value=a", "key=buildid&value=x"] {
                #expect(try await service.get("/metadata?\(query)").status == 400, "\(query)")
            }
            let long = String(repeating: "a", count: 4_097)
            #expect(try await service.get("/metadata?key=file&value=\(long)").status == 400)
        }
    }

    @Test(
        "debuginfod-find gets files and sections, with a token from a headers file",
        .enabled(if: PeerProcess.isWanted(find)))
    func client() async throws {
        try await RunningService.withOwnedApps { service in
            let folder = try TestFolder()
            let header = OwnedApps.token(.read, of: OwnedApps.mine)["authorization"] ?? ""
            let headers = try folder.write("Authorization: \(header)\n", to: "headers")
            func find(
                _ words: String..., cache: String = "cache", environment: [String: String] = [:]
            ) async throws -> PeerProcess {
                try await PeerProcess(
                    Self.find, words,
                    environment: [
                        "DEBUGINFOD_URLS": "http://127.0.0.1:\(service.http)/",
                        "DEBUGINFOD_HEADERS_FILE": headers,
                        "DEBUGINFOD_CACHE_PATH": folder.path(cache),
                    ].merging(environment) { $1 }, in: folder)
            }
            #expect(try await find("debuginfo", Self.id, cache: "miss").status != 0)
            _ = try await service.upload(
                projectFile("\(Self.folder)/press.debug"), of: OwnedApps.mine)
            let debug = try await find("debuginfo", Self.id)
            #expect(debug.status == 0, "\(debug.errors)")
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: debug.output.onlyLine))
                    == Data(projectFile("\(Self.folder)/press.debug")))
            let section = try await find("section", Self.id, ".debug_str")
            #expect(section.status == 0, "\(section.errors)")
            let large = try await find(
                "debuginfo", Self.id, cache: "large", environment: ["DEBUGINFOD_MAXSIZE": "1000"])
            #expect(large.status != 0)
            #expect(large.errors.contains("File too large"), "\(large.errors)")
            #expect(try await find("executable", Self.id).status != 0)
            #expect(try await find("source", Self.id, "/src/press.cpp").status != 0)
        }
    }

    @Test(
        "gdb gets the debug file of a stripped program and shows its lines",
        .enabled(if: PeerProcess.isWanted("/usr/bin/gdb")))
    func debugger() async throws {
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            let folder = try TestFolder()
            let program = try folder.write(projectFile("\(Self.folder)/press"), to: "press")
            let run = try await PeerProcess(
                "/usr/bin/gdb",
                [
                    "-nx", "-batch", "-iex", "set debuginfod enabled on", "-ex", "info line main",
                    program,
                ],
                environment: [
                    "DEBUGINFOD_URLS": "http://127.0.0.1:\(service.http)",
                    "DEBUGINFOD_CACHE_PATH": folder.path("cache"), "HOME": folder.path,
                ], in: folder)
            #expect(run.output.contains("Line "), "\(run.output) \(run.errors)")
            #expect(run.output.contains(".cpp"), "\(run.output)")
        }
    }

    @Test(
        "eu-addr2line gets the debug file of a stripped program",
        .enabled(if: PeerProcess.isWanted("/usr/bin/eu-addr2line")))
    func elfutils() async throws {
        try await RunningService.run { service in
            try await upload("\(Self.folder)/press.debug", to: service)
            let folder = try TestFolder()
            let program = try folder.write(projectFile("\(Self.folder)/press"), to: "press")
            let run = try await PeerProcess(
                "/usr/bin/eu-addr2line", ["-e", program, "main"],
                environment: [
                    "DEBUGINFOD_URLS": "http://127.0.0.1:\(service.http)",
                    "DEBUGINFOD_CACHE_PATH": folder.path("cache"),
                ], in: folder)
            #expect(run.output.contains(".cpp:"), "\(run.output) \(run.errors)")
        }
    }
}

extension String {
    /// The text without its final line break.
    fileprivate var onlyLine: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
