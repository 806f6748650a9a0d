import CallStacks
import ContractServer
import Foundation
import TestSupport
import Testing

/// `--server` of symbolicate, lookup and atos, against an imitation of the service.
@Suite("symbols of a service", .ownThreads)
struct RemoteTests {
    let workspace: Workspace
    let server = ContractServer()

    /// A report with an app frame and a framework frame.
    static let report = """
        Thread 0 Crashed:
        0   OrchardKit                    \t0x0000000105b44170 0x105b40000 + 16752
        1   Orchard                       \t0x0000000104a30484 0x104a2c000 + 17540

        Binary Images:
        0x104a2c000 - 0x104a3ffff Orchard arm64  <4c4c448155553144a199bfceae3fe729> /O
        0x105b40000 - 0x105b4ffff OrchardKit arm64  <4c4c44e355553144a1033964daaddc31> /K

        """

    /// The server's lookup results for the framework.
    static let kit = """
        {"uuid": "\(Orchard.kitID)", "name": "OrchardKit", "arch": "arm64", "base": 4096,
         "status": "found", "answers": [{"offset": 16752, "status": "symbolicated", "frames": [
          {"mangled": "hash_weight", "file": "Index.c", "path": "/ci/kit/Index.c", "line": 16,
           "column": 28, "inlined": true, "call_offset": 12, "status": "symbolicated"},
          {"mangled": "hash_row", "function_offset": 136, "file": "Index.c",
           "path": "/ci/kit/Index.c", "line": 22, "approximate": true, "compiler_generated_file": true,
           "status": "symbolicated"}]}]}
        """

    init() throws { workspace = try Workspace() }

    private func symbolist(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Run {
        try await onOwnThread {
            try workspace.run(
                executable.path, arguments, input: input, environment: environment,
                in: workspace.folder)
        }
    }

    private func hasKit(_ state: inout ContractServer.State) {
        state.lookups = [ImageID(Orchard.kitID)!: Self.kit]
    }

    private var app: [String] { ["--symbols", Orchard.absolute(Orchard.app)] }

    @Test("local symbols are used first, and only UUIDs and offsets of the rest are sent")
    func questions() async throws {
        server.change(hasKit)
        let report = try workspace.file("a.crash", text: Self.report)
        try await server.serve { url in
            let run = try await symbolist(
                ["symbolicate", report, "--server", url] + app,
                environment: ["SYMBOLIST_TOKEN": "secret"])
            #expect(run.status == 0)
            #expect(run.problems == [])
            #expect(run.text.contains("[inlined] hash_weight (Index.c:16:28)"))
            #expect(run.text.contains("hash_row + 136 (near Index.c:22)"))
            #expect(run.text.contains("pick(_:in:)"))
        }
        #expect(
            server.allRequests.map(\.question) == [
                #"{"images":[{"uuid":"\#(Orchard.kitID)","offsets":[]}],"nearest":false}"#,
                #"{"images":[{"uuid":"\#(Orchard.kitID)","offsets":[16752]}],"nearest":true}"#,
            ])
        #expect(server.allRequests.allSatisfy { $0.authorization == "Bearer secret" })
        #expect(server.allRequests.allSatisfy { $0.path == "/v1/lookup" && $0.query.isEmpty })
    }

    @Test("all formats and options work as with local symbols")
    func formats() async throws {
        server.change(hasKit)
        let report = try workspace.file("a.crash", text: Self.report)
        try await server.serve { url in
            let common = ["symbolicate", report, "--server", url] + app
            let json = try await symbolist(common + ["--format", "json", "--strict"])
            #expect(json.status == 0)
            let images = try #require(try json.object()["images"] as? [[String: Any]])
            #expect(images.map { $0["status"] as? String } == ["found", "found"])
            let same = try await symbolist(common + ["--format", "same", "-o", "out"])
            #expect(same.status == 0)
            let written = try String(
                contentsOf: workspace.folder.appendingPathComponent("out"), encoding: .utf8)
            #expect(written.contains("hash_weight + 12 (Index.c:16) [inlined]"))
            #expect(written.contains("hash_row + 136 (<compiler-generated>:0)"))
            let plain = try await symbolist(common + ["--no-inline", "--full-paths"])
            #expect(!plain.text.contains("hash_weight"))
            #expect(plain.text.contains("(near /ci/kit/Index.c:22)"))
        }
    }

    @Test("an image that the report does not name has the name of its file on the server")
    func names() async throws {
        server.change(hasKit)
        let payload = try workspace.file(
            "payload.json",
            text: """
                {"crashDiagnostics": [{"version": "1.0.0", "diagnosticMetaData": {"signal": 11},
                  "callStackTree": {"callStackPerThread": true, "callStacks": [
                    {"threadAttributed": true, "callStackRootFrames": [
                      {"binaryUUID": "\(Orchard.kitID)", "offsetIntoBinaryTextSegment": 16752,
                       "address": 4391715184}]}]}}]}
                """)
        try await server.serve { url in
            let run = try await symbolist(
                ["symbolicate", payload, "--server", url, "--format", "json"])
            #expect(run.status == 0)
            #expect(run.text.contains(#""image":"OrchardKit""#), "\(run.text)")
        }
    }

    @Test("an image that neither has is missing, and its offsets are not sent")
    func missing() async throws {
        let report = try workspace.file("a.crash", text: Self.report)
        try await server.serve { url in
            let run = try await symbolist(["symbolicate", report, "--server", url])
            #expect(run.status == 0)
            #expect(run.problems.count == 1)
            #expect(run.problems.first?.contains("0 of 2 app frames; missing: ") == true)
        }
        #expect(server.allRequests.count == 1)
        #expect(server.allRequests.allSatisfy { $0.question.contains(#""offsets":[]"#) })
    }

    @Test("symbols that the server cannot read are corrupt, and named")
    func corrupt() async throws {
        server.change {
            $0.lookups = [
                ImageID(Orchard.kitID)!:
                    #"{"uuid": "\#(Orchard.kitID)", "status": "corrupt_index", "answers": []}"#
            ]
        }
        let report = try workspace.file("a.crash", text: Self.report)
        try await server.serve { url in
            let run = try await symbolist(["symbolicate", report, "--server", url] + app)
            #expect(
                run.problems.contains(
                    "image \(Orchard.kitID): its symbols on the server cannot be read: "
                        + "upload them again"))
        }
    }

    @Test("local results are printed before a failing server ends the run with 4")
    func failures() async throws {
        let report = try workspace.file("a.crash", text: Self.report)
        server.change { $0.scriptedResponses["/v1/lookup"] = [.init(401), .init(403)] }
        try await server.serve { url in
            for _ in 0..<2 {
                let run = try await symbolist(["symbolicate", report, "--server", url, "-q"] + app)
                #expect(run.status == 4)
                #expect(run.text.contains("pick(_:in:)"))
                #expect(run.problems.count == 1)
            }
        }
        let failed = try await symbolist(
            ["symbolicate", report, "--server", "http://127.0.0.1:1", "-q"] + app)
        #expect(failed.status == 4)
        #expect(failed.text.contains("pick(_:in:)"))
        #expect(
            failed.problems == [
                "http://127.0.0.1:1: connection refused: check --server and the network"
            ])
    }

    @Test("a service without the lookup endpoint is distinguished from one that lacks symbols")
    func olderService() async throws {
        server.change { $0.scriptedResponses["/v1/lookup"] = [.init(404)] }
        try await server.serve { url in
            let run = try await symbolist(["lookup", Orchard.kitID, "1", "--server", url])
            #expect(run.status == 4)
            #expect(
                run.problems.last
                    == "\(url): does not support /v1/lookup: check --server, or upgrade the service"
            )
        }
    }

    @Test("the service is not queried for symbols that are found locally")
    func nothingMissing() async throws {
        let report = try workspace.file("a.crash", text: Self.report)
        let symbols = Orchard.absolute(Orchard.symbols)
        let run = try await symbolist(
            ["symbolicate", report, "--server", "http://127.0.0.1:1", "--symbols", symbols])
        #expect(run.status == 0)
        #expect(run.problems == [])
    }

    @Test("--wait waits for symbols, but no longer than the given time")
    func waiting() async throws {
        server.change(hasKit)
        server.change { $0.lookupsUntilAvailable = 2 }
        let report = try workspace.file("a.crash", text: Self.report)
        try await server.serve { url in
            let common = ["symbolicate", report, "--server", url] + app
            let arrived = try await symbolist(common + ["--wait"])
            #expect(arrived.status == 0)
            #expect(arrived.text.contains("hash_row + 136"))
            server.change { $0.lookupsUntilAvailable = .max }
            let late = try await symbolist(common + ["--wait=1", "-q"])
            #expect(late.status == 0)
            #expect(!late.text.contains("hash_row"))
            let lookup = try await symbolist([
                "lookup", Orchard.kitID, "1", "--server", url, "--wait=0",
            ])
            #expect(lookup.status == 3)
            #expect(
                lookup.problems == [
                    "image \(Orchard.kitID): not in the given symbols or on the server: "
                        + "upload its dSYM or debug file"
                ])
        }
    }

    @Test("environment variables alone cause no request")
    func environment() async throws {
        let report = try workspace.file("a.crash", text: Self.report)
        try await server.serve { url in
            _ = try await symbolist(
                ["symbolicate", report], environment: ["SYMBOLIST_SERVER": url])
        }
        #expect(server.allRequests.isEmpty)
    }

    @Test(
        "an invalid --server or --wait is wrong usage",
        arguments: [
            ["--server", "nonsense"], ["--wait"],
            ["--server", "http://127.0.0.1:1", "--wait=-1"],
            ["--server", "http://127.0.0.1:1", "--wait=86401"],
        ])
    func usage(options: [String]) async throws {
        #expect(try await symbolist(["symbolicate", "x"] + options).status == 2)
        #expect(try await symbolist(["lookup", Orchard.kitID, "1"] + options).status == 2)
    }

    @Test("lookup sends all offsets of an image in one request, unchanged")
    func lookup() async throws {
        server.change(hasKit)
        try await server.serve { url in
            let run = try await symbolist([
                "lookup", Orchard.kitID, "16752", "0x10", "--server", url, "--json",
            ])
            #expect(run.status == 0)
            let lines = try run.lines()
            #expect(lines.map { $0["status"] as? String } == ["symbolicated", "not_found"])
            let frames = try #require(lines.first?["frames"] as? [[String: Any]])
            #expect(frames.map { $0["image"] as? String } == ["OrchardKit", "OrchardKit"])
            #expect(frames.last?["path"] as? String == "/ci/kit/Index.c")
            let refused = try await symbolist([
                "lookup", Orchard.kitID, "1", "--server", "http://127.0.0.1:1",
            ])
            #expect(refused.status == 4)
            #expect(refused.text == "0x1  [no symbols for this image]\n")
        }
        #expect(server.allRequests.count { $0.question.contains("[16752,16]") } == 1)
        #expect(server.allRequests.allSatisfy { $0.question.hasSuffix(#""nearest":false}"#) })
    }

    @Test("lookup reports frames of the service's system images as not the app's")
    func systemImage() async throws {
        let kit = Self.kit.replacing(#""inlined": true"#, with: #""in_app": false"#)
        server.change { $0.lookups = [ImageID(Orchard.kitID)!: kit] }
        try await server.serve { url in
            let run = try await symbolist([
                "lookup", Orchard.kitID, "16752", "--server", url, "--json",
            ])
            #expect(run.status == 0)
            let frames = try #require(try run.lines().first?["frames"] as? [[String: Any]])
            #expect(frames.map { $0["in_app"] as? Bool } == [false, false])
        }
    }

    private func sent(_ offsets: String) -> Int {
        server.allRequests.count { $0.question.contains(#""offsets":[\#(offsets)]"#) }
    }

    @Test("lines and addresses that have already arrived are sent in one request")
    func together() async throws {
        server.change(hasKit)
        let id = Orchard.kitID
        let pairs = "\(id) 16752\n\nx y\n\(id) 16\n\(id) 0x11\n"
        let addresses = "0x4170 none 0\n0x4180\n"
        try workspace.file("addresses.txt", text: addresses)
        try await server.serve { url in
            let lookup = try await symbolist(["lookup", "--server", url], input: pairs)
            #expect(
                try lookup.lines().map { $0["status"] as? String } == [
                    "symbolicated", "unknown_image", "not_found", "not_found",
                ])
            #expect(sent("16752,16,17") == 1)
            let atos = ["atos", "-offset", "-o", id, "--server", url]
            let piped = try await symbolist(atos, input: addresses)
            let listed = try await symbolist(atos + ["-f", "addresses.txt"])
            let given = try await symbolist(
                atos + ["--return-addresses", "0x4171", "none", "0", "0x4181"])
            for run in [piped, listed, given] {
                #expect(run.status == 0)
                let lines = run.text.split(separator: "\n")
                try #require(lines.count == 4)
                #expect(lines[0] == "hash_row (in OrchardKit) (Index.c:22)")
                #expect(lines[1...2] == ["none", "0"])
            }
            #expect(sent("16752,16768") == 3)
        }
    }

    @Test("a server that fails during a run is not queried again")
    func failureInTheMiddle() async throws {
        server.change(hasKit)
        server.change { $0.scriptedResponses["/v1/lookup"] = [nil, .init(403), .init(403)] }
        let pairs = "\(Orchard.kitID) 16752\nx y\n\(Orchard.kitID) 16752\n"
        try await server.serve { url in
            let run = try await symbolist(["lookup", "--server", url], input: pairs)
            #expect(run.status == 4)
            #expect(
                try run.lines().map { $0["status"] as? String } == [
                    "missing_image", "unknown_image", "missing_image",
                ])
        }
        #expect(server.allRequests.count == 2)
    }

    @Test("atos accepts a UUID whose symbols only the server has")
    func atos() async throws {
        server.change(hasKit)
        try await server.serve { url in
            let common = ["atos", "-o", Orchard.kitID, "--server", url]
            let loaded = try await symbolist(common + ["-i", "-l", "0x10000", "0x14170"])
            #expect(loaded.status == 0)
            #expect(
                loaded.text
                    == "hash_weight (in OrchardKit) (Index.c:16)\n"
                    + "hash_row (in OrchardKit) (Index.c:22)\n\n")
            let linked = try await symbolist(common + ["0x5170"])
            #expect(linked.text == "hash_row (in OrchardKit) (Index.c:22)\n")
            let other = String(repeating: "1", count: 32)
            let unknown = try await symbolist(["atos", "-o", other, "--server", url, "1"])
            #expect(unknown.status == 1)
            #expect(unknown.problems.last?.contains("not in the given symbols or on") == true)
        }
        let failed = try await symbolist([
            "atos", "-o", Orchard.kitID, "--server", "http://127.0.0.1:1", "1",
        ])
        #expect(failed.status == 4)
    }
}
