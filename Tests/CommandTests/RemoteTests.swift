import ContractServer
import Foundation
import TestSupport
import Testing

/// `symbolist symbolicate --server`.
@Suite("symbolicate by a service")
struct RemoteTests {
    let workspace: Workspace
    let server = ContractServer()

    init() throws { workspace = try Workspace() }

    private func symbolicate(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Run {
        // On a thread of its own, because the server needs those of the tests.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try workspace.run(
                            executable.path, ["symbolicate"] + arguments, input: "",
                            environment: environment, in: workspace.folder)
                    })
            }
        }
    }

    @Test("the answer is printed as it comes, and the token goes along")
    func answered() async throws {
        server.change { $0.reports = ["text": "Thread 0:\n", "json": #"{"kind":"crash"}"#] }
        let report = try workspace.file("crash.json", text: #"{"a": 1}"#)
        try await server.serve { url in
            let text = try await symbolicate(
                [report, "--server", url], environment: ["SYMBOLIST_TOKEN": "secret"])
            #expect(text.text == "Thread 0:\n")
            #expect(text.status == 0)
            #expect(text.problems.isEmpty)
            let json = try await symbolicate([
                report, "--format", "json", "--server", url, "--token", "other",
            ])
            #expect(json.text == "{\"kind\":\"crash\"}\n")
        }
        let requests = server.requests("POST", "/v1/symbolicate")
        #expect(requests.map(\.byteCount) == [8, 8])
        #expect(requests.map(\.authorization) == ["Bearer secret", "Bearer other"])
    }

    @Test("several reports have headings, or are one array")
    func several() async throws {
        let reports = try ["a.json", "b.json"].map { try workspace.file($0, text: "{}") }
        server.change { $0.reports = ["text": "Thread 0:\n", "json": #"[{"x":1},{"x":2}]"#] }
        try await server.serve { url in
            let text = try await symbolicate(reports + ["--server", url])
            #expect(
                text.text
                    == "==> \(reports[0]) <==\nThread 0:\n\n==> \(reports[1]) <==\nThread 0:\n")
            let json = try await symbolicate(reports + ["--format", "json", "--server", url])
            #expect((try json.json() as? [Any])?.count == 4)
        }
    }

    @Test("a file without a diagnostic is nothing found; beside others it is some failed")
    func nothingFound() async throws {
        let good = try workspace.file("good", text: "{}")
        let bad = try workspace.file("bad", text: "hello")
        server.change { $0.reports = ["text": "Thread 0:\n"] }
        try await server.serve { url in
            let none = try await symbolicate([bad, "--server", url])
            #expect(none.status == 3)
            #expect(
                none.problems == [
                    "\(bad): \(url) finds no diagnostic in it: give a crash or hang report"
                ])
            #expect(try await symbolicate([bad, good, "--server", url]).status == 1)
            #expect(try await symbolicate(["nosuch", "--server", url]).status == 1)
        }
    }

    @Test("a service that refuses, or is not there, ends with 4")
    func refused() async throws {
        let report = try workspace.file("crash.json", text: "{}")
        server.change { $0.disturbances["/v1/symbolicate"] = [.init(401)] }
        try await server.serve { url in
            let run = try await symbolicate([report, "--server", url])
            #expect(run.status == 4)
            #expect(run.problems.count == 1)
        }
        let gone = try await symbolicate([report, "--server", "http://127.0.0.1:1"])
        #expect(gone.status == 4)
        #expect(
            gone.problems == [
                "http://127.0.0.1:1: refuses connections: check --server and the network"
            ])
    }

    @Test("nothing is sent because of the environment alone")
    func environment() async throws {
        let report = try workspace.file("crash.json", text: "{}")
        try await server.serve { url in
            _ = try await symbolicate([report], environment: ["SYMBOLIST_SERVER": url])
        }
        #expect(server.allRequests.isEmpty)
    }

    @Test("own symbols and a service do not go together")
    func usage() async throws {
        let run = try await symbolicate(["x", "--server", "http://127.0.0.1:1", "--symbols", "."])
        #expect(run.status == 2)
        #expect(try await symbolicate(["x", "--server", "nonsense"]).status == 2)
    }
}
