import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    /// What `sentry-cli` does with each reply: the reasons for the rules of the service's own
    /// replies.
    ///
    /// Three replies lose a file without an error, so the service never sends them: `not_found`
    /// without missing chunks, `created` as the first reply, and a reply without the file.
    @Suite("sentry-cli's view of replies", .ownThreads, .enabled(if: SentryClient.areWanted))
    struct SentryStateTests {
        /// A reply in `Tests/Peers/sentry.py`.
        struct Reply: Encodable, Sendable {
            var state: String?
            var chunks: Bool?
            var detail: String?
            var dif: Bool?
            var status: Int?
            var body: Body?
            var type: String?

            enum Body: Encodable, Sendable {
                case object([String: String])
                case nested([String: [String: String]])
                case text(String)

                func encode(to encoder: any Encoder) throws {
                    switch self {
                    case .object(let object): try object.encode(to: encoder)
                    case .nested(let object): try object.encode(to: encoder)
                    case .text(let text): try text.encode(to: encoder)
                    }
                }
            }

            static let missing = Self(state: "not_found", chunks: true)
            static let stored = Self(state: "ok", dif: true)
            static let detail = Body.object(["detail": words])
            static let words = "the words of the service"

            static func state(_ state: String, detail: String? = nil) -> Self {
                Self(state: state, detail: detail)
            }

            static func error(_ status: Int, _ body: Body = detail, type: String? = nil) -> Self {
                Self(status: status, body: body, type: type)
            }
        }

        /// A case: the replies, and what the client does.
        struct Row: Sendable, CustomTestStringConvertible {
            var name: String
            var replies: [Reply]
            var options: [String] = []
            var exit: Int32 = 0
            /// A text that the client prints.
            var text: String
            /// The requests, except for the one for the options.
            var requests: [String] = ["assemble 200", "chunks 200", "assemble 200"]
            var versions = SentryClient.versions

            var testDescription: String { name }
        }

        private static let first = ["assemble 200"]
        private static let gone = "Some uploaded files are now missing on the server"
        private static let nothing = "Nothing to upload, all files are on the server"
        private static let uploaded = "UPLOADED 25dd36a2-2f6e-efe7-0dee-80f4ac661864"
        private static let done = "OK 25dd36a2-2f6e-efe7-0dee-80f4ac661864 (press.debug; x86_64"

        static let states = [
            Row(name: "ok later", replies: [.missing, .stored], text: done),
            Row(
                name: "ok, waiting", replies: [.missing, .state("assembling"), .stored],
                options: ["--wait"], text: done,
                requests: ["assemble 200", "chunks 200", "assemble 200", "assemble 200"]),
            Row(name: "missing again", replies: [.missing, .missing], exit: 1, text: gone),
            Row(
                name: "missing without chunks", replies: [.state("not_found")], text: nothing,
                requests: first),
            Row(
                name: "missing without chunks later", replies: [.missing, .state("not_found")],
                exit: 1, text: gone),
            Row(
                name: "created", replies: [.state("created")], options: ["--wait"], text: nothing,
                requests: first),
            Row(
                name: "created later", replies: [.missing, .state("created")], text: uploaded),
            Row(
                name: "created, waiting", replies: [.missing, .state("created"), .stored],
                options: ["--wait"], text: done,
                requests: ["assemble 200", "chunks 200", "assemble 200", "assemble 200"]),
            Row(
                name: "assembling", replies: [.state("assembling")], text: uploaded,
                requests: ["assemble 200", "assemble 200"]),
            Row(
                name: "assembling past the limit", replies: [.missing, .state("assembling")],
                options: ["--wait-for", "1"], exit: 1,
                text: "still processing and not ready yet",
                requests: ["assemble 200", "chunks 200", "assemble 200"]),
            Row(
                name: "error", replies: [.state("error", detail: Reply.words)], exit: 1,
                text: Reply.words, requests: ["assemble 200", "assemble 200"]),
            Row(
                name: "error later", replies: [.missing, .state("error", detail: Reply.words)],
                exit: 1, text: Reply.words),
            Row(name: "ok", replies: [.stored], text: nothing, requests: first),
            Row(
                name: "ok without a description", replies: [.missing, .state("ok")],
                options: ["--wait"], text: uploaded),
            Row(name: "no state", replies: [.state("absent")], text: nothing, requests: first),
            Row(
                name: "no state later", replies: [.missing, .state("absent")],
                text: "File processing complete"),
        ]

        private static func shown(_ status: Int) -> String {
            "\(Reply.words) (http status: \(status))"
        }

        static let statuses =
            [400, 401, 403, 413, 429].map {
                Row(
                    name: "\($0) with a detail", replies: [.error($0)], exit: 1, text: shown($0),
                    requests: ["assemble \($0)"])
            }
            + [502, 503, 504, 507, 524].map {
                Row(
                    name: "\($0), retried", replies: [.error($0), .stored], text: nothing,
                    requests: ["assemble \($0)", "assemble 200"])
            } + [
                Row(
                    name: "400 with an error",
                    replies: [.error(400, .object(["error": Reply.words]))], exit: 1,
                    text: shown(400), requests: ["assemble 400"]),
                Row(
                    name: "400 with another object",
                    replies: [.error(400, .nested(["error": ["message": Reply.words]]))], exit: 1,
                    text: "request failure (http status: 400)", requests: ["assemble 400"]),
                Row(
                    name: "400 with text", replies: [.error(400, .text("no"), type: "text/plain")],
                    exit: 1, text: "bad request (http status: 400)", requests: ["assemble 400"]),
                Row(
                    name: "404", replies: [.error(404)], exit: 1, text: "Project not found",
                    requests: ["assemble 404"]),
                Row(
                    name: "302", replies: [.error(302, .object(["slug": "new"]))], exit: 1,
                    text: "project was renamed to 'new'", requests: ["assemble 302"],
                    versions: ["3.8.2"]),
            ]

        @Test("each state of a file leads to one behaviour", arguments: states)
        func state(row: Row) async throws { try await expect(row) }

        @Test("each status is shown or retried", arguments: statuses)
        func status(row: Row) async throws { try await expect(row) }

        @Test("options that are not JSON, or not there, end the run")
        func options() async throws {
            let text = Reply(status: 200, type: "text/plain")
            let run = try await Self.run("3.8.2", ["options": [text]])
            #expect(run.result.status == 1)
            #expect(run.result.text.contains("not a JSON response"), "\(run.result.text)")
            let missing = try await Self.run("3.8.2", ["options": [.error(404)]])
            #expect(missing.result.text.contains("organization not found"))
            #expect(!missing.result.text.contains(Reply.words))
        }

        private func expect(_ row: Row) async throws {
            for version in row.versions {
                let run = try await Self.run(version, ["assemble": row.replies], row.options)
                #expect(run.result.status == row.exit, "\(version): \(run.result.text)")
                #expect(run.result.text.contains(row.text), "\(version): \(run.result.text)")
                let requests = run.requests.filter { !$0.hasPrefix("options") }
                // A client that waits may send more queries.
                let count = row.options.isEmpty ? requests.count : row.requests.count
                #expect(Array(requests.prefix(count)) == row.requests, "\(version)")
            }
        }

        /// Runs the client against a server that sends the replies.
        private static func run(
            _ version: String, _ replies: [String: [Reply]], _ options: [String] = []
        ) async throws -> (result: SentryClient.Result, requests: [String]) {
            let folder = try TestFolder()
            let script = String(decoding: try JSONEncoder().encode(replies), as: UTF8.self)
            let server = try Served(
                [
                    projectFolder.appendingPathComponent(".build-peers/bin/python").path,
                    projectFolder.appendingPathComponent("Tests/Peers/sentry.py").path, script,
                ], environment: ProcessInfo.processInfo.environment,
                log: folder.url.appendingPathComponent("requests"))
            func lines() -> [String] {
                let text = (try? String(contentsOf: server.log, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").map(String.init)
            }
            _ = await eventually { server.hasEnded || !lines().isEmpty }
            let port = try #require(lines().first, "the server does not start")
            let client = try SentryClient(
                version,
                [
                    "SENTRY_URL": "http://127.0.0.1:\(port)", "SENTRY_ORG": "acme",
                    "SENTRY_AUTH_TOKEN": "uploading", "SENTRY_HTTP_MAX_RETRIES": "1",
                ])
            let result = try await client.run(
                ["debug-files", "upload", "-p", SentryClientTests.app] + options + [
                    projectFolder.appendingPathComponent(
                        "Symbols/linux-cpp-gcc-dwarf4/press.debug"
                    ).path
                ])
            await server.kill()
            return (result, Array(lines().dropFirst()))
        }
    }
}
