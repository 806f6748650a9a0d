import CallStacks
import ContractServer
import Foundation
import TestSupport
import Testing

@Suite("symbolist upload", .ownThreads)
struct UploadTests {
    let workspace: Workspace
    let server = ContractServer()
    static let build = ["--app", "com.example.orchard", "--version", "1.4.0", "--build", "2107"]
    static let kit = ImageID(Orchard.kitID)!

    init() throws { workspace = try Workspace() }

    private func upload(
        _ arguments: String..., to url: String, environment: [String: String] = [:]
    ) async throws -> Run {
        try await symbolist(["upload"] + arguments + Self.build, url, environment)
    }

    private func symbolist(
        _ arguments: [String], _ url: String, _ environment: [String: String] = [:]
    ) async throws -> Run {
        let changes = ["SYMBOLIST_SERVER": url].merging(environment) { $1 }
        return try await onOwnThread {
            try workspace.run(
                executable.path, arguments, input: "", environment: changes, in: projectFolder)
        }
    }

    private func shell(_ line: String, _ environment: [String: String]) async throws -> Run {
        try await onOwnThread { try workspace.shell(line, environment: environment) }
    }

    @Test("each slice has a line with its status, and a last line has the counts")
    func text() async throws {
        server.change { $0.images = [Self.kit] }
        try await server.serve { url in
            let run = try await upload(Orchard.app, Orchard.kit, to: url)
            #expect(run.status == 0)
            #expect(run.problems.isEmpty)
            let lines = run.text.split(separator: "\n")
            try #require(lines.count == 3)
            #expect(
                lines[0].hasPrefix("present   OrchardKit  arm64   \(Orchard.kitID)  full DWARF"))
            #expect(lines[1].hasPrefix("uploaded  Orchard     arm64   "))
            #expect(lines[1].contains(" kB → "))
            #expect(lines[2].hasPrefix("2 files, 2 slices: 1 already there, 1 uploaded ("))
            #expect(lines[2].hasSuffix("), 0 failed"))
        }
    }

    @Test("a warning is printed once, with advice that helps on a service")
    func warnings() async throws {
        server.change { $0.warning = "split-dwarf-missing: as the server says it" }
        try workspace.copy("Symbols/linux-c-split-dwarf5/seeds.debug", to: "seeds.debug")
        let file = try workspace.file("seeds.debug")
        try await server.serve { url in
            let run = try await upload(file, to: url)
            #expect(run.status == 0)
            #expect(run.text.contains("uploaded  seeds.debug"))
            #expect(!run.text.contains("split-dwarf-missing"))
            try #require(run.problems.count == 1)
            #expect(run.problems[0].contains("split-dwarf-missing: functions and inlined calls"))
            #expect(run.problems[0].hasSuffix("are in .dwo files: add them or the .dwp"))
        }
    }

    @Test("JSON has the same facts, and standard output has nothing else")
    func json() async throws {
        server.change { $0.images = [Self.kit] }
        try await server.serve { url in
            let run = try await upload(Orchard.app, Orchard.kit, "--json", to: url)
            let object = try run.object()
            #expect(object["schema"] as? Int == 1)
            let slices = try #require(object["slices"] as? [[String: Any]])
            try #require(slices.map { $0["status"] as? String } == ["uploaded", "present"])
            #expect(slices.map { $0["name"] as? String } == ["Orchard", "OrchardKit"])
            #expect(slices.map { $0["quality"] as? Int } == [4, 4])
            #expect(slices[1]["uuid"] as? String == Orchard.kitID)
            let summary = try #require(object["summary"] as? [String: Any])
            #expect(summary["uploaded"] as? Int == 1)
            #expect(summary["present"] as? Int == 1)
            #expect(!run.text.contains("\u{1b}"))
            #expect(run.problems.isEmpty)
        }
    }

    @Test("a server that rejects the token ends the run with 4, and the token is never shown")
    func token() async throws {
        try workspace.file("token", text: "from-a-file-5ecret\n")
        let ways: [(arguments: [String], environment: [String: String], token: String)] = [
            (["--token", "given-5ecret"], [:], "given-5ecret"),
            ([], ["SYMBOLIST_TOKEN": "env-5ecret"], "env-5ecret"),
            (
                [], ["SYMBOLIST_TOKEN_FILE": workspace.folder.path + "/token"],
                "from-a-file-5ecret"
            ),
            (
                [],
                [
                    "SYMBOLIST_TOKEN": "",
                    "SYMBOLIST_TOKEN_FILE": workspace.folder.path + "/token",
                ], "from-a-file-5ecret"
            ),
        ]
        try await server.serve { url in
            for way in ways {
                server.change {
                    $0.scriptedResponses["/v1/symbols/missing"] = [
                        .init(401, message: "unknown token")
                    ]
                }
                let run = try await symbolist(
                    ["upload", Orchard.app, "-v"] + Self.build + way.arguments, url,
                    way.environment)
                #expect(run.status == 4)
                #expect(
                    run.problems == [
                        "\(url): returned 401 (unknown token): set SYMBOLIST_TOKEN to a "
                            + "valid token"
                    ])
                #expect(!run.text.contains("5ecret"))
                #expect(server.allRequests.last?.authorization == "Bearer \(way.token)")
            }
            #expect(server.allRequests.count == ways.count)
        }
    }

    @Test("an unreachable server ends the run with 4, or with 0 with --soft-fail")
    func unreachable() async throws {
        let url = "http://127.0.0.1:1"
        for (softFail, status) in [([], 4), (["--soft-fail"], 0)] as [([String], Int32)] {
            let run = try await symbolist(
                ["upload", Orchard.app, "--retries", "0"] + Self.build + softFail, url)
            #expect(run.status == status)
            #expect(
                run.problems == ["\(url): connection refused: check --server and the network"])
        }
    }

    @Test(
        "a server that cannot say which symbols it lacks ends the run with 4",
        arguments: [500, 400])
    func unanswered(status: Int) async throws {
        server.change {
            $0.scriptedResponses["/v1/symbols/missing"] = [.init(status), .init(status)]
        }
        try await server.serve { url in
            let run = try await upload(Orchard.app, "--retries", "1", to: url)
            #expect(run.status == 4)
            #expect(run.problems.count == 1, "\(run.problems)")
            #expect(server.requests("POST", "/v1/symbols").isEmpty)
        }
    }

    @Test("paths without symbols end the run with 3, or with 0 with --allow-empty")
    func empty() async throws {
        try workspace.file("empty/notes", text: "x")
        let folder = workspace.folder.path + "/empty"
        try await server.serve { url in
            for (option, status) in [("-v", 3), ("--allow-empty", 0), ("--soft-fail", 0)] {
                let run = try await upload(folder, option, to: url)
                #expect(run.status == Int32(status))
                #expect(run.text.hasPrefix("0 files, 0 slices: "))
            }
        }
    }

    @Test(
        "a listed file of another kind is nothing to send, and a listed file that is missing fails")
    func otherKind() async throws {
        let notes = try workspace.file("notes.txt", text: "no debug file")
        try await server.serve { url in
            #expect(try await upload(notes, to: url).status == 3)
            #expect(try await upload(notes, "--allow-empty", to: url).status == 0)
            #expect(try await upload(notes, workspace.file("none"), to: url).status == 1)
            let some = try await upload(notes, Orchard.app, to: url)
            #expect(some.status == 1)
            #expect(some.problems.count == 1, "\(some.problems)")
        }
    }

    @Test("a list that the server refuses ends the run with 4", arguments: [400, 404])
    func refusedList(status: Int) async throws {
        server.change { $0.scriptedResponses["/v1/symbols"] = [.init(status)] }
        try await server.serve { url in
            let run = try await symbolist(["symbols", "list"], url)
            #expect(run.status == 4)
            #expect(run.problems.count == 1, "\(run.problems)")
        }
    }

    @Test("parts of a build that the server would refuse are wrong usage, before anything is sent")
    func partsOfBuild() async throws {
        let long = String(repeating: "1", count: 257)
        try await server.serve { url in
            for (option, value) in [("version", "."), ("app", "a\u{202e}b"), ("build", long)] {
                let arguments = ["upload", Orchard.app] + Self.build + ["--\(option)", value]
                let run = try await symbolist(arguments, url)
                #expect(run.status == 2)
                #expect(run.problems.first?.contains("of --\(option) is invalid") == true)
            }
            #expect(server.allRequests.isEmpty)
        }
    }

    @Test("bytes of a file name that are not UTF-8 are sent and listed as U+FFFD")
    func nameOfBytes() async throws {
        try await server.serve { url in
            let run = try await shell(
                #"""
                name=$(printf 'K\351t'); cp "$KIT" "$name"
                symbolist upload "$name" --app a --version 1 --build 1 --json
                symbolist inspect "$name" --json
                """#, ["SYMBOLIST_SERVER": url, "KIT": Orchard.absolute(Orchard.kitFile)])
            #expect(run.status == 0)
            #expect(run.text.contains("\"name\": \"K\u{fffd}t\""), "\(run.text)")
            #expect(run.text.contains("\"path\": \"K\u{fffd}t\""))
            #expect(!run.text.unicodeScalars.contains { $0.value > 0xffff })
            let sent = server.requests("POST", "/v1/symbols")
            #expect(sent.map { $0.query["name"] } == ["K\u{fffd}t"])
        }
    }

    @Test("--require-from fails for an image without symbols, and names it")
    func requireFrom() async throws {
        let app = "\(Orchard.symbols)/Orchard.app"
        try await server.serve { url in
            let run = try await upload(
                Orchard.app, "--require-from", app, "--dry-run", to: url)
            #expect(run.status == 1)
            #expect(
                run.problems == [
                    "OrchardKit arm64 \(Orchard.kitID): no symbols in the paths or on the "
                        + "server: add the dSYM or debug file of the same build"
                ])
            let folder = "\(projectFolder.path)/Documentation"
            let empty = try await upload(
                Orchard.app, "--require-from", folder, "--dry-run", to: url)
            #expect(empty.status == 1)
            #expect(
                empty.problems.contains(
                    "--require-from: no program or library in \(folder): pass the app, the .ipa or "
                        + "the .xcarchive of the build"))
            server.change { $0.images = [Self.kit] }
            let whole = try await upload(Orchard.app, "--require-from", app, to: url)
            #expect(whole.status == 0)
            let required = try await upload(
                Orchard.app, "--require", "00000000-0000-0000-0000-000000000001", to: url)
            #expect(required.status == 1)
        }
    }

    @Test("a failed transfer ends the run with 1, and all others are sent")
    func failed() async throws {
        server.change {
            $0.scriptedResponses["/v1/symbols"] = [.init(413, message: "limit is 8 MB")]
        }
        try await server.serve { url in
            let run = try await upload(Orchard.app, Orchard.kit, "--jobs", "1", to: url)
            #expect(run.status == 1)
            #expect(run.text.contains("returned 413 (limit is 8 MB)"))
            let file = "\(Orchard.app)/Contents/Resources/DWARF/Orchard"
            #expect(run.problems == ["\(file): \(url): returned 413 (limit is 8 MB)"])
            #expect(run.text.hasSuffix(", 1 failed\n"))
            #expect(server.images == [Self.kit])
            let quiet = try await upload(Orchard.app, Orchard.kit, "--quiet", to: url)
            #expect(quiet.status == 0)
            #expect(quiet.text.isEmpty)
            #expect(quiet.problems.isEmpty)
        }
    }

    @Test("--wait takes optional seconds and never a path")
    func wait() async throws {
        server.change { $0.pollsUntilIndexed = 2 }
        try await server.serve { url in
            let run = try await upload("--wait", Orchard.kit, to: url)
            #expect(run.status == 0)
            #expect(run.problems.isEmpty)
            #expect(server.requests("GET", "/v1/symbols").count == 2)
            server.change {
                $0.images = []
                $0.pollsUntilIndexed = 1_000
            }
            for wait in [["--wait=0"], ["--wait", "0"]] {
                server.change { $0.images = [] }
                let impatient = try await symbolist(
                    ["upload"] + wait + [Orchard.kit] + Self.build, url)
                #expect(impatient.status == 0)
                #expect(
                    impatient.problems == ["1 of them: not indexed yet: the server continues"])
            }
        }
    }

    @Test("the build is read from an .xcarchive, and paths may come from standard input")
    func xcodeArchive() async throws {
        try workspace.copy(Orchard.app, to: "Orchard.xcarchive/dSYMs/Orchard.app.dSYM")
        try workspace.file(
            "Orchard.xcarchive/Info.plist",
            text: """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict><key>ApplicationProperties</key><dict>
                <key>CFBundleIdentifier</key><string>com.example.orchard</string>
                <key>CFBundleShortVersionString</key><string>1.4.0</string>
                <key>CFBundleVersion</key><string>2107</string></dict></dict></plist>
                """)
        try await server.serve { url in
            let archive = workspace.folder.path + "/Orchard.xcarchive"
            let run = try await symbolist(["upload", archive], url)
            #expect(run.status == 0)
            #expect(
                server.requests("POST", "/v1/symbols").map(\.query) == [
                    [
                        "app": "com.example.orchard", "version": "1.4.0", "build": "2107",
                        "name": "Orchard",
                    ]
                ])
        }
    }

    @Test("a terminal shows progress, unless CI is set")
    func progress() async throws {
        let line =
            "symbolist upload --force \(Orchard.absolute(Orchard.kit)) "
            + Self.build.joined(separator: " ")
        try await server.serve { url in
            for (changes, isShown) in [
                ([:], true), (["CI": "1"], false), (["TERM": "dumb"], false),
            ] {
                let environment = ["SYMBOLIST_SERVER": url, "TERM": "xterm"].merging(changes) { $1 }
                let run = try await shell("script -qec '\(line)' /dev/null", environment)
                #expect(run.text.contains("uploaded  OrchardKit"))
                #expect(run.text.contains("0 of 1 sent, ") == isShown)
                #expect(run.text.contains("\u{1b}[K") == isShown)
            }
        }
    }

    @Test("a reader that stops early neither stops an upload nor hides a failure")
    func closedPipe() async throws {
        server.change { $0.scriptedResponses["/v1/symbols"] = [.init(413)] }
        let symbols = [Orchard.app, Orchard.kit].map(Orchard.absolute).joined(separator: " ")
        let line = """
            mkfifo p; head -c 0 < p & { sleep 0.3; symbolist upload \(symbols) --jobs 1 \
            \(Self.build.joined(separator: " ")); echo $? > status; } > p
            """
        try await server.serve { url in
            _ = try await shell(line, ["SYMBOLIST_SERVER": url])
            let status = workspace.folder.appending(path: "status")
            #expect(try String(contentsOf: status, encoding: .utf8) == "1\n")
            #expect(server.images == [Self.kit])
        }
    }

    @Test("the commit is sent with the query about missing images and with each file")
    func commit() async throws {
        try await server.serve { url in
            let named = try await upload(Orchard.kit, "--commit", "5f3c2b1", to: url)
            #expect(named.status == 0)
            #expect(server.allRequests.map { $0.query["commit"] } == ["5f3c2b1", "5f3c2b1"])
            #expect(try await upload(Orchard.kit, to: url).status == 0)
            #expect(server.allRequests.last?.query.keys.contains("commit") == false)
        }
    }

    @Test("wrong usage ends with 2 and one line")
    func usage() throws {
        let cases: [(arguments: [String], problem: String)] = [
            (["x", "--server", "http://x"], "missing build: set --app, --version and --build"),
            (["x"] + Self.build, "missing server: set --server or SYMBOLIST_SERVER"),
            (["x", "--server", "x"] + Self.build, "'x' is not a server URL"),
            (["x", "--jobs", "0"] + Self.build, "'0' is not a number of jobs"),
            (
                ["x", "--commit", "two words"] + Self.build,
                "'two words' of --commit is invalid: use 1 to 100 printable ASCII characters"
            ),
            (["x", "--require", "zz"] + Self.build, "'zz' is not a UUID or build ID"),
            (Self.build, "missing expected argument"),
        ]
        for (arguments, problem) in cases {
            let run = try workspace.run(
                executable.path, ["upload"] + arguments, input: "", environment: [:],
                in: workspace.folder)
            #expect(run.status == 2, "\(arguments)")
            #expect(run.problems.count == 1)
            #expect(run.problems.first?.contains(problem) == true, "\(run.problems)")
        }
    }

    @Test("symbols lists and removes files on a server")
    func symbols() async throws {
        server.change {
            $0.images = [Self.kit]
            $0.lists = [
                "/v1/symbols": """
                {"files": [{"uuid": "\(Orchard.kitID)", "arch": "arm64", "name": "OrchardKit",
                 "kind": "dsym", "status": "indexed", "bytes": 1234}]}
                """,
                "/v1/missing": #"{"missing": []}"#,
                "/v1/builds": """
                {"builds": [
                 {"app": "a", "version": "1", "build": "1", "last_upload": "2026-01-01T00:00:00Z"},
                 {"app": "a", "version": "2", "build": "1/2", "last_upload": "2026-03-01T00:00:00Z"},
                 {"app": "a", "version": "3", "build": "1", "last_upload": "2026-02-01T00:00:00Z"}]}
                """,
            ]
        }
        try await server.serve { url in
            let list = try await symbolist(["symbols", "list", "--app", "a b"], url)
            #expect(
                list.text == """
                    uuid                                  arch   name        app  kind  status   bytes
                    \(Orchard.kitID)  arm64  OrchardKit  –    dsym  indexed  1234

                    """)
            #expect(server.requests("GET", "/v1/symbols").last?.query == ["app": "a b"])
            #expect(try await symbolist(["symbols", "missing"], url).status == 3)

            let prune = ["symbols", "prune", "--app", "a", "--keep", "1"]
            #expect(
                try await symbolist(prune + ["--dry-run"], url).text
                    == "would remove  a 3 (1)\nwould remove  a 1 (1)\n")
            #expect(server.allRequests.allSatisfy { $0.method == "GET" })
            #expect(try await symbolist(prune, url).text == "removed  a 3 (1)\nremoved  a 1 (1)\n")
            #expect(server.requests("DELETE", "/v1/builds/a/3/1").count == 1)
            let image = ["symbols", "prune", Orchard.kitID]
            #expect(try await symbolist(image, url).status == 0)
            #expect(try await symbolist(image, url).status == 3)
            #expect(try await symbolist(["symbols", "prune"], url).status == 2)
        }
    }

    @Test("symbols prune --dry-run lists only what the server has")
    func pruneNothing() async throws {
        server.change {
            $0.lists = [
                "/v1/symbols": #"{"files": []}"#,
                "/v1/builds": """
                {"builds": [
                 {"app": "a", "version": "1", "build": "1", "last_upload": "2026-01-01T00:00:00Z"}]}
                """,
            ]
        }
        try await server.serve { url in
            let image = ["symbols", "prune", Orchard.kitID, "--dry-run"]
            let absent = try await symbolist(image, url)
            #expect(absent.text.isEmpty)
            #expect(absent.problems == ["image \(Orchard.kitID): not on the server"])
            #expect(absent.status == 3)
            #expect(server.requests("GET", "/v1/symbols").last?.query == ["uuid": Orchard.kitID])
            func build(_ version: String) -> [String] {
                [
                    "symbols", "prune", "--app", "a", "--version", version, "--build", "1",
                    "--dry-run",
                ]
            }
            #expect(try await symbolist(build("1"), url).text == "would remove  a 1 (1)\n")
            let unknown = try await symbolist(build("2"), url)
            #expect(unknown.text.isEmpty)
            #expect(unknown.status == 3)
            server.change {
                $0.lists["/v1/symbols"] = #"{"files": [{"uuid": "\#(Orchard.kitID)"}]}"#
            }
            let stored = try await symbolist(image, url)
            #expect(stored.text == "would remove  image \(Orchard.kitID)\n")
            #expect(server.allRequests.allSatisfy { $0.method == "GET" })
        }
    }

    @Test("symbols prune --system removes a system, and lists what it would remove")
    func pruneSystem() async throws {
        server.change {
            $0.lists = [
                "/v1/systems": #"{"systems": [{"os": "iPhone OS 18.1", "build": "22B83"}]}"#
            ]
        }
        try await server.serve { url in
            let prune = ["symbols", "prune", "--system"]
            let shown = try await symbolist(prune + ["22B83", "--dry-run"], url)
            #expect(shown.text == "would remove  system 22B83\n")
            #expect(server.requests("DELETE", "/v1/systems/22B83").isEmpty)
            let unknown = try await symbolist(prune + ["22C152", "--dry-run"], url)
            #expect(unknown.status == 3)
            let removed = try await symbolist(prune + ["22B83"], url)
            #expect(removed.text == "removed  system 22B83\n")
            #expect(removed.status == 0)
            #expect(server.requests("DELETE", "/v1/systems/22B83").count == 1)
            #expect(try await symbolist(prune + ["22C152"], url).status == 3)
            #expect(try await symbolist(prune + ["18.1 (22B83)"], url).status == 2)
        }
    }
}
