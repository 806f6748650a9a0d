import Foundation
import TestSupport
import Testing

typealias SentryClientTests = ServiceProcessTests.SentryClientTests

extension ServiceProcessTests {
    /// Both versions of `sentry-cli` against the service.
    @Suite("sentry-cli", .ownThreads, .enabled(if: SentryClient.areWanted))
    struct SentryClientTests {
        static let app = "com.example.orchard"
        private static let other = "com.example.pear"
        private static let tokens = [
            "AUTH_TOKENS_0_NAME": "ci", "AUTH_TOKENS_0_TOKEN": "uploading",
            "AUTH_TOKENS_0_SCOPES": "upload,read", "AUTH_TOKENS_1_NAME": "pear",
            "AUTH_TOKENS_1_TOKEN": "of-pear", "AUTH_TOKENS_1_SCOPES": "upload",
            "AUTH_TOKENS_1_APP": other,
        ]

        private static func symbols(_ name: String) -> String {
            projectFolder.appendingPathComponent("Symbols/\(name)").path
        }

        /// A dSYM of two images with two slices each, and an ELF image with its debug file.
        private static let paths = [
            symbols("orchard-1.4.0-universal"), symbols("linux-cpp-gcc-dwarf4/press"),
            symbols("linux-cpp-gcc-dwarf4/press.debug"),
        ]

        private static func client(
            _ version: String, _ site: Site, token: String = "uploading"
        ) throws -> SentryClient {
            try SentryClient(
                version,
                [
                    "SENTRY_URL": "http://127.0.0.1:\(site.port)", "SENTRY_ORG": "acme",
                    "SENTRY_AUTH_TOKEN": token,
                ])
        }

        private static func listed(_ site: Site) async throws -> [[String: Any]] {
            let reply = try await site.client.get("/v1/symbols")
            return try reply.object()["files"] as? [[String: Any]] ?? []
        }

        @Test(
            "slices, dSYMs and ELF files are stored, and the next run sends nothing",
            arguments: SentryClient.versions)
        func upload(version: String) async throws {
            let site = try Site(exports: [])
            var served = try await site.start()
            let client = try Self.client(version, site)
            let first = try await client.upload(Self.paths, "--header", "X-Build: 1.4.0+217")
            #expect(first.status == 0, "\(first.text)")
            #expect(first.text.contains("arm64 debug companion"), "\(first.text)")
            #expect(first.text.contains("functions, "), "\(first.text)")
            #expect(first.text.contains("25dd36a2-2f6e-efe7-0dee-80f4ac661864"), "\(first.text)")
            let files = try await Self.listed(site)
            #expect(files.count == 5)
            #expect(files.allSatisfy { $0["app"] as? String == Self.app })
            let builds = try await site.client.get("/v1/builds?app=\(Self.app)").object()
            let build = (builds["builds"] as? [[String: Any]])?.first
            #expect(build?["version"] as? String == "1.4.0")
            #expect(build?["build"] as? String == "217")

            let second = try await client.upload(Self.paths)
            #expect(second.status == 0)
            #expect(second.text.contains("Nothing to upload"), "\(second.text)")
            #expect(await served.stop() == 0)
            served = try await site.start()
            let third = try await client.upload(Self.paths)
            #expect(third.status == 0)
            #expect(third.text.contains("Nothing to upload"), "\(third.text)")
            #expect(await served.stop() == 0)
        }

        @Test(
            "files that were uploaded otherwise are not sent again",
            arguments: SentryClient.versions)
        func uploadedOtherwise(version: String) async throws {
            let site = try Site(exports: [])
            let served = try await site.start()
            let command = try CommandLineClient([
                "SYMBOLIST_SERVER": "http://127.0.0.1:\(site.port)"
            ])
            let files = [Self.paths[0], Self.paths[2]]
            let sent = try await command.start(
                ["upload"] + files + ["--app", Self.app, "--version", "1.4.0", "--build", "217"]
            ).end()
            #expect(sent.status == 0, "\(sent.problems)")
            let run = try await Self.client(version, site)
                .upload(files, "--header", "X-Build: 1.4.1+218")
            #expect(run.status == 0, "\(run.text)")
            #expect(run.text.contains("Nothing to upload"), "\(run.text)")
            #expect(site.files(in: "chunks").isEmpty)
            let builds = try await site.client.get("/v1/builds?app=\(Self.app)").object()
            let images = (builds["builds"] as? [[String: Any]] ?? []).map {
                ($0["images"] as? [Any])?.count
            }
            #expect(images == [5, 5])
            // Another app owns none of them, and sends its own.
            let other = try await Self.client(version, site).upload([files[1]], app: Self.other)
            #expect(other.text.contains("Uploaded 1 missing"), "\(other.text)")
            #expect(await served.stop() == 0)
        }

        @Test(
            "symbol maps restore the names that a bitcode build hid, and are sent once",
            arguments: SentryClient.versions)
        func symbolMaps(version: String) async throws {
            let site = try Site(exports: [])
            var served = try await site.start()
            let client = try Self.client(version, site)
            let (image, original) = (
                "B1B1B1B1-B1B1-B1B1-B1B1-B1B1B1B1B1B1", "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
            )
            var file = MachOBuilder.library()
            file.fileType = 10
            file.uuid = [UInt8](repeating: 0xb1, count: 16)
            file.symbols = [.init("__hidden#1_", at: 0x1_0000_1000)]
            let resources = "archive/dSYMs/Orchard.app.dSYM/Contents/Resources"
            try client.folder.write(file.bytes(), to: "\(resources)/DWARF/Orchard")
            try client.folder.write(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>
                <key>DBGOriginalUUID</key><string>\(original)</string>
                </dict></plist>
                """, to: "\(resources)/\(image).plist")
            try client.folder.write(
                "BCSymbolMap Version: 2.0\n_other\n-[Crate open]\n",
                to: "archive/BCSymbolMaps/\(original).bcsymbolmap")
            let run = try await client.upload([client.folder.path("archive")])
            #expect(run.status == 0, "\(run.text)")
            #expect(site.files(in: "symbol-maps").count == 2, "\(run.text)")
            let command = try CommandLineClient()
            let lookup = try await command.run(
                "lookup", image, "0x1000", "--server", "http://127.0.0.1:\(site.port)")
            #expect(lookup.output.contains("-[Crate open]"), "\(lookup)")
            #expect(await served.stop() == 0)
            served = try await site.start()
            let again = try await client.upload([client.folder.path("archive")])
            #expect(again.status == 0)
            #expect(!again.text.contains("Uploaded "), "\(again.text)")
            #expect(await served.stop() == 0)
        }

        @Test("files are found inside a zip", arguments: SentryClient.versions)
        func archive(version: String) async throws {
            let site = try Site(exports: [])
            let served = try await site.start()
            let client = try Self.client(version, site)
            let zip = client.folder.path("dSYMs.zip")
            try shell(
                "python3 -m zipfile -c '\(zip)' Orchard.app.dSYM/",
                in: URL(filePath: Self.symbols("orchard-1.4.0-universal")))
            let run = try await client.upload([zip])
            #expect(run.status == 0, "\(run.text)")
            #expect(try await Self.listed(site).count == 2)
            #expect(await served.stop() == 0)
        }

        @Test(
            "a token that names the server is all that the client needs",
            arguments: SentryClient.versions)
        func organizationToken(version: String) async throws {
            let site = try Site(exports: [])
            let command = try CommandLineClient()
            let made = try await command.run(
                "token", "--url", "http://127.0.0.1:\(site.port)", "--json"
            ).object()
            let token = try #require(made["token"] as? String)
            let digest = try #require(made["sha256"] as? String)
            let served = try await site.start(settings: [
                "AUTH_TOKENS_0_NAME": "ci", "AUTH_TOKENS_0_SHA256": digest,
                "AUTH_TOKENS_0_SCOPES": "upload",
            ])
            let client = try SentryClient(version, ["SENTRY_AUTH_TOKEN": token])
            let info = try await client.run(["info"])
            #expect(info.status == 0, "\(info.text)")
            #expect(info.text.contains("http://127.0.0.1:\(site.port)"))
            #expect(info.text.contains("project:write"))
            #expect(!info.text.contains("WARN"), "\(info.text)")
            let run = try await client.upload([Self.paths[2]])
            #expect(run.status == 0, "\(run.text)")
            #expect(await served.stop() == 0)
        }

        @Test(
            "a token of another app and an unknown one end the run with a sentence",
            arguments: SentryClient.versions)
        func refusals(version: String) async throws {
            let site = try Site(exports: [], settings: Self.tokens)
            let served = try await site.start()
            let foreign = try await Self.client(version, site, token: "of-pear")
                .upload(Self.paths)
            #expect(foreign.status == 1)
            #expect(foreign.text.contains("use a token for this app (http status: 403)"))
            let unknown = try await Self.client(version, site, token: "no").upload(Self.paths)
            #expect(unknown.status == 1)
            #expect(unknown.text.contains("ask the operator for one (http status: 401)"))
            #expect(site.files(in: "blobs") == [])
            let own = try await Self.client(version, site, token: "of-pear")
                .upload([Self.paths[2]], app: Self.other)
            #expect(own.status == 0, "\(own.text)")
            #expect(await served.stop() == 0)
        }

        @Test(
            "required files, waiting and source bundles behave as with the client's own server",
            arguments: SentryClient.versions)
        func options(version: String) async throws {
            let site = try Site(exports: [])
            let served = try await site.start()
            let client = try Self.client(version, site)
            let present = "25dd36a2-2f6e-efe7-0dee-80f4ac661864"
            let found = try await client.run(
                [
                    "debug-files", "upload", "-p", Self.app, "--wait-for", "120",
                    "--require-all", "--id", present,
                ] + Self.paths)
            #expect(found.status == 0, "\(found.text)")
            let absent = try await client.upload(
                Self.paths, "--require-all", "--id", "00000000-0000-0000-0000-000000000001")
            #expect(absent.status == 1, "\(absent.text)")
            let sources = try await client.upload(
                [Self.symbols("linux-cpp-clang-dwarf5")], "--include-sources")
            #expect(sources.status == 0, "\(sources.text)")
            #expect(await served.stop() == 0)
        }

        @Test(
            "a file without symbols fails the run, and says why", arguments: SentryClient.versions)
        func noSymbols(version: String) async throws {
            let site = try Site(exports: [])
            let served = try await site.start()
            let client = try Self.client(version, site)
            let run = try await client.upload([Self.paths[1]])
            #expect(run.status == 1, "\(run.text)")
            #expect(run.text.contains("neither debug information nor symbols"), "\(run.text)")
            #expect(site.files(in: "blobs") == [])
            let again = try await client.upload([Self.paths[1]])
            #expect(again.status == 1, "\(again.text)")
            #expect(await served.stop() == 0)
        }

        @Test("two clients that send the same files at once both succeed")
        func atOnce() async throws {
            let site = try Site(exports: [])
            let served = try await site.start()
            let runs = try await withThrowingTaskGroup(of: SentryClient.Result.self) { group in
                for version in SentryClient.versions {
                    group.addTask { try await Self.client(version, site).upload(Self.paths) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for run in runs { #expect(run.status == 0, "\(run.text)") }
            #expect(try await Self.listed(site).count == 5)
            #expect(await served.stop() == 0)
        }

        @Test(
            "a killed upload resumes with the chunks that are missing, also after a restart",
            arguments: SentryClient.versions)
        func killed(version: String) async throws {
            let site = try Site(exports: [])
            var served = try await site.start()
            let client = try Self.client(version, site)
            let debug = try Data(contentsOf: URL(filePath: Self.paths[2]))
            // Data after the end of an ELF file is not read.
            let file = try client.folder.write(
                [UInt8](debug) + [UInt8](Requests.noise(96 << 20)), to: "press.debug")
            let killed = try client.start(
                ["debug-files", "upload", "-p", Self.app, "--wait", file])
            #expect(await eventually { !site.files(in: "chunks").isEmpty || killed.hasEnded })
            await killed.kill()
            let kept = site.files(in: "chunks")
            #expect((1..<13).contains(kept.count), "\(kept.count) chunks")
            #expect(site.files(in: "blobs") == [])
            await served.kill()
            served = try await site.start()

            let resumed = try await client.run(
                ["--log-level=debug", "debug-files", "upload", "-p", Self.app, "--wait", file])
            #expect(resumed.status == 0, "\(resumed.text.suffix(2_000))")
            let missing = try #require(
                resumed.text.firstMatch(of: /"missingChunks":\[([^\]]+)\]/)?.1)
            #expect(missing.split(separator: ",").count == 13 - kept.count)
            #expect(try await Self.listed(site).count == 1)
            #expect(await served.stop() == 0)
        }
    }
}
