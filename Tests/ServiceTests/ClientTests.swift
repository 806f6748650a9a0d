import CallStacks
import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    /// The client commands of the executable against the service of the same executable.
    @Suite("Client commands", .ownThreads)
    struct ClientTests {
        static let symbols =
            projectFolder.appendingPathComponent("Symbols/\(Requests.build)").path
        static let report = projectFolder.appendingPathComponent(
            "Fixtures/Diagnostics/\(Requests.build)/divide-by-zero.report.ips"
        ).path
        static let kitID = "4C4C44E3-5555-3144-A103-3964DAADDC31"
        static let build = ["--app", "com.example.Orchard", "--version", "1.4.0", "--build", "217"]
        static let tokens = [
            "AUTH_TOKENS_0_NAME": "ci", "AUTH_TOKENS_0_TOKEN": "uploading",
            "AUTH_TOKENS_0_SCOPES": "upload", "AUTH_TOKENS_1_NAME": "person",
            "AUTH_TOKENS_1_TOKEN": "reading", "AUTH_TOKENS_1_SCOPES": "read",
        ]

        private func upload(_ paths: [String], _ more: String...) -> [String] {
            ["upload"] + paths + Self.build + more
        }

        @Test("a build travels from upload to lookup, atos and a waiting symbolicate")
        func wholeWay() async throws {
            let site = try Site(exports: [], settings: Self.tokens)
            let served = try await site.start()
            let url = "http://127.0.0.1:\(site.port)"
            let ci = try CommandLineClient([
                "SYMBOLIST_SERVER": url, "SYMBOLIST_TOKEN": "uploading",
            ])
            let person = try CommandLineClient([
                "SYMBOLIST_SERVER": url, "SYMBOLIST_TOKEN": "reading",
            ])
            #expect(try await person.run("symbols", "list").status == 3)
            let waiting = try person.start([
                "symbolicate", Self.report, "--server", url, "--wait=120",
            ])

            let product = "\(Self.symbols)/Orchard.app"
            let sent = try await ci.start(
                upload([Self.symbols], "--require-from", product, "--wait=120", "--json")
            ).end()
            #expect(sent.status == 0, "\(sent.problems)")
            let summary = try sent.object()["summary"] as? [String: Any]
            #expect(summary?["uploaded"] as? Int == 2)
            let again = try await ci.start(upload([Self.symbols])).end()
            #expect(again.status == 0)
            #expect(again.output.contains("2 already there, 0 uploaded"), "\(again.output)")

            let local = try await person.run("symbolicate", Self.report, "--symbols", Self.symbols)
            let remote = try await waiting.end()
            #expect(remote.status == 0, "\(remote.problems)")
            #expect(remote.output == local.output)
            #expect(remote.output.contains("Harvest.swift:31"))

            for arguments in [
                ["lookup", Self.kitID, "0x4170", "0x422c", "--json"],
                ["atos", "-o", Self.kitID, "-i", "-offset", "0x4170"],
            ] {
                let asked = try await person.start(arguments + ["--server", url]).end()
                let known = try await person.start(arguments + ["--symbols", Self.symbols]).end()
                #expect(asked.status == 0, "\(asked.problems)")
                #expect(asked.output == known.output)
                #expect(asked.output.contains("hash_weight"))
            }
            let list = try await person.run("symbols", "list", "--app", "com.example.Orchard")
            #expect(list.status == 0)
            #expect(list.output.contains(Self.kitID))
            #expect(await served.stop() == 0)
        }

        @Test("awaited symbols are listed, replaced and pruned, and a backlog is dropped")
        func upkeep() async throws {
            let gone = "http://127.0.0.1:\(try freePort())"
            let site = try Site(exports: [gone])
            let served = try await site.start()
            let url = "http://127.0.0.1:\(site.port)"
            let client = try CommandLineClient(["SYMBOLIST_SERVER": url])
            try await site.client.deliver(logs: Requests.fixtureCrash("a"))
            let isMissing = await eventually {
                let run = try? await client.run("symbols", "missing", "--scope", "app")
                return run?.output.contains(Self.kitID) == true
            }
            #expect(isMissing)
            let builds = try await client.run("symbols", "missing", "--builds")
            #expect(builds.status == 0, "\(builds.problems)")
            #expect(builds.output.contains("Orchard  1.4.0 (217)"), "\(builds.output)")
            let upload = try await client.start(upload([Self.symbols], "--wait=120")).end()
            #expect(upload.status == 0, "\(upload.problems)")
            #expect(
                await eventually {
                    (try? await client.run("symbols", "missing", "--scope", "app"))?.status == 3
                })
            #expect(try await client.run("symbols", "missing", "--builds").status == 3)
            let replaced = try await client.start(
                ["symbols", "replace", Self.symbols, "--wait=120"] + Self.build
            ).end()
            #expect(replaced.status == 0, "\(replaced.problems)")
            #expect(replaced.output.contains("2 uploaded"), "\(replaced.output)")
            let pruned = try await client.run("symbols", "prune", Self.kitID)
            #expect(pruned.status == 0, "\(pruned.problems)")
            let list = try await client.run("symbols", "list", "--json")
            #expect(!list.output.contains(Self.kitID))
            #expect(await served.stop() == 0)

            let data = ["--data", site.data.path]
            let waits = try await client.start(["exporters", "list"] + data).end()
            #expect(waits.status == 0, "\(waits.problems)")
            #expect(waits.output.contains("backend0"))
            let dropped = try await client.start(["exporters", "drop", "backend0"] + data).end()
            #expect(dropped.status == 0, "\(dropped.problems)")
        }

        @Test("over TLS a client trusts the authority that SSL_CERT_FILE names, and no other")
        func tls() async throws {
            let files = try TestFolder()
            let authority = try files.write(TestCertificates.authority, to: "ca.pem")
            let site = try Site(
                exports: [],
                settings: Self.tokens.merging([
                    "TLS_CERTIFICATE": try files.write(TestCertificates.server, to: "server.pem"),
                    "TLS_KEY": try files.write(TestCertificates.serverKey, to: "server.key"),
                ]) { $1 })
            let served = try site.launch()
            let url = "https://localhost:\(site.port)"
            let client = try CommandLineClient([
                "SYMBOLIST_SERVER": url, "SYMBOLIST_TOKEN": "uploading", "SSL_CERT_FILE": authority,
            ])
            #expect(
                await eventually {
                    (try? await client.run("health", "--server", url))?.status == 0
                })
            let sent = try await client.start(upload([Self.symbols], "--wait=120")).end()
            #expect(sent.status == 0, "\(sent.problems)")
            #expect(sent.output.contains("2 uploaded"), "\(sent.output) \(sent.problems)")
            let reading = ["SYMBOLIST_TOKEN": "reading"]
            let answer = try await client.run(
                "lookup", Self.kitID, "0x4170", "--server", url, environment: reading)
            #expect(answer.status == 0, "\(answer.problems)")
            #expect(answer.output.contains("hash_weight"))
            let wary = try await client.start(
                upload([Self.symbols], "--retries", "0"),
                environment: ["SSL_CERT_FILE": ""]
            ).end()
            #expect(wary.status == 4)
            #expect(wary.problems.count == 1)
            #expect(wary.problems.first?.hasPrefix("\(url): ") == true, "\(wary.problems)")
            #expect(await served.stop() == 0)
        }

        @Test("an interrupted upload resumes, whichever side was killed")
        func interrupted() async throws {
            let site = try Site(exports: [])
            var served = try await site.start()
            let client = try CommandLineClient([
                "SYMBOLIST_SERVER": "http://127.0.0.1:\(site.port)"
            ])
            // Every build of the sample app.
            let symbols = projectFolder.appendingPathComponent("Symbols").path
            let arguments = upload([symbols], "--jobs", "1", "--include", "*orchard*")
            let first = try client.start(arguments)
            #expect(await eventually { site.files(in: "blobs").count > 3 })
            await first.kill()
            let stored = site.files(in: "blobs").count

            let second = try client.start(arguments + ["--json", "--retries", "20"])
            #expect(await eventually { site.files(in: "blobs").count > stored + 3 })
            await served.kill()
            served = try await site.start()
            let run = try await second.end()
            #expect(run.status == 0, "\(run.problems)")
            let summary = try run.object()["summary"] as? [String: Any]
            let present = summary?["present"] as? Int ?? 0
            #expect(present >= 3)
            #expect(summary?["uploaded"] as? Int ?? 0 >= 3)
            #expect(summary?["failed"] as? Int == 0)
            // Files without debug information are sent again each time, in case they now have some.
            let last = try await client.start(arguments + ["--json"]).end()
            let rest = try last.object()["summary"] as? [String: Any]
            #expect(rest?["present"] as? Int ?? 0 > present)
            #expect(await served.stop() == 0)
        }

        @Test("a large file is sent completely, and refused if it exceeds the limit")
        func large() async throws {
            let site = try Site(exports: [])
            var served = try await site.start()
            let client = try CommandLineClient([
                "SYMBOLIST_SERVER": "http://127.0.0.1:\(site.port)"
            ])
            var file = ELFBuilder.library(buildID: identity(7).bytes)
            file.add([.init("ripen", at: 0x1010, size: 0x10)])
            file.sections.append(
                .init(".debug_str", contents: [UInt8](Requests.noise(48 << 20))))
            let path = try client.folder.write(file.bytes(), to: "large.so")
            let sent = try await client.start(upload([path], "--wait=120")).end()
            #expect(sent.status == 0, "\(sent.problems)")
            let answer = try await client.run(
                "lookup", "\(identity(7))", "\(functionOffset)", "--server",
                "http://127.0.0.1:\(site.port)")
            #expect(answer.output.contains("ripen"), "\(answer)")
            #expect(await served.stop() == 0)
            served = try await site.start(settings: ["LIMITS_BUNDLE": "1MiB"])
            let refused = try await client.start(upload([path], "--force")).end()
            #expect(refused.status == 1)
            #expect(refused.problems.first?.contains("returned 413") == true, "\(refused.problems)")
            #expect(await served.stop() == 0)
        }

        @Test("a wrong token, or one without the scope, ends every command with 4 in one line")
        func wrongToken() async throws {
            let site = try Site(exports: [], settings: Self.tokens)
            let served = try await site.start()
            let url = "http://127.0.0.1:\(site.port)"
            let client = try CommandLineClient(["SYMBOLIST_SERVER": url])
            for (command, other) in commands(url) {
                for token in [nil, "invented", other] {
                    let run = try await client.start(
                        command, environment: token.map { ["SYMBOLIST_TOKEN": $0] } ?? [:]
                    ).end()
                    #expect(run.status == 4, "\(command) \(run)")
                    let problem = run.problems.first { $0.hasPrefix("\(url): returned 40") }
                    #expect(problem != nil, "\(command) \(run.problems)")
                    #expect(!"\(run)".contains(token ?? "-----"))
                }
            }
            #expect(await served.stop() == 0)
        }

        @Test("without a service every command ends with 4, in one line that names it")
        func unreachable() async throws {
            let url = "http://127.0.0.1:\(try freePort())"
            let client = try CommandLineClient(["SYMBOLIST_SERVER": url])
            for (command, _) in commands(url) + [(["health", "--server", url], "")] {
                let run = try await client.start(command).end()
                #expect(run.status == 4, "\(command) \(run)")
                #expect(run.problems.count { $0.hasPrefix("\(url): ") } == 1, "\(run.problems)")
            }
        }

        /// Returns every command that queries a service, with a token that does not allow it.
        private func commands(_ url: String) -> [([String], String)] {
            [
                (upload([Self.symbols], "--retries", "0"), "reading"),
                (["symbols", "list", "--retries", "0"], "uploading"),
                (["symbols", "missing", "--retries", "0"], "uploading"),
                (
                    ["symbols", "replace", Self.symbols, "--retries", "0"] + Self.build, "reading"
                ),
                (["symbols", "prune", Self.kitID, "--retries", "0"], "reading"),
                (["symbolicate", Self.report, "--server", url, "--quiet"], "uploading"),
                (["lookup", Self.kitID, "1", "--server", url], "uploading"),
                (["atos", "-o", Self.kitID, "1", "--server", url], "uploading"),
            ]
        }
    }
}
