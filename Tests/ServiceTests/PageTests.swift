import Foundation
import Synchronization
import TestSupport
import Testing

extension ServiceProcessTests {
    /// The pages in Chromium, driven by the scripts of `Tests/Pages`.
    @Suite("Pages in a browser", .ownThreads, .enabled(if: Browser.isWanted))
    struct PageTests {
        @Test("every page is clean: valid, accessible, quiet and still, in every mode")
        func pages() async throws {
            let (site, served) = try await Self.start()
            let ids = try await Self.fill(site)
            let app = "app=com.example.Orchard"
            let groups = (
                crash: try await Self.group(site, "crash"),
                hang: try await Self.group(site, "hang")
            )
            try await Browser.run(
                "pages.py",
                [
                    site.address, "groups=/", "group=\(groups.crash)",
                    "group-hang=\(groups.hang)", "flames=/flame",
                    "flame=/flame?\(app)&version=1.4.0",
                    "compared=/flame?\(app)&version=1.4.0&against=1.3.0&q=mix",
                    "crash=/d/\(ids.crash)", "hang=/d/\(ids.hang)",
                    "crash-text=/d/\(ids.crash)?view=text",
                    "original=/d/\(ids.crash)?view=original", "found=/d/\(ids.hang)?q=hash",
                    "missing=/missing", "missing-system=/missing?scope=system",
                    "image=/images/\(Self.image)", "builds=/builds",
                    "build=/builds/com.example.Orchard/1.4.0/217", "versions=/versions",
                    "health=/health", "drop=/drop", "keys=/keys", "sign-in=/sign-in",
                    "none=/?q=nowhere",
                    "filtered=/?\(app)&version=1.4.0&kind=crash&status=readable&q=share",
                    "build-delete=/builds/com.example.Orchard/1.4.0/217/delete",
                ])
            #expect(await served.stop() == 0)
        }

        @Test("printed pages are complete: black, without navigation, with every frame")
        func printing() async throws {
            let (site, served) = try await Self.start()
            let ids = try await Self.fill(site)
            try await Browser.run(
                "print.py",
                [
                    site.address, "crash=/d/\(ids.crash)", "hang=/d/\(ids.hang)",
                    "crash-text=/d/\(ids.crash)?view=text",
                    "original=/d/\(ids.crash)?view=original",
                    "group=\(try await Self.group(site, "crash"))", "groups=/", "missing=/missing",
                    "image=/images/\(Self.image)", "builds=/builds", "versions=/versions",
                    "health=/health",
                ])
            #expect(await served.stop() == 0)
        }

        @Test("a dropped report becomes readable when the folder of its dSYMs is dropped")
        func drop() async throws {
            let (site, served) = try await Self.start()
            try await Browser.run(
                "drop.py",
                [
                    site.address, Self.fixture("divide-by-zero.report.ips"),
                    projectFolder.appendingPathComponent(Self.symbols).path, "share(_:among:)",
                    Self.image, projectFolder.appendingPathComponent(Self.otherBuild).path,
                ])
            #expect(await served.stop() == 0)
        }

        @Test("the results of a drop are shown over the page, in every mode with the script")
        func results() async throws {
            let (site, served) = try await Self.start()
            try await Browser.run(
                "results.py",
                [
                    site.address, Self.fixture("divide-by-zero.report.ips"),
                    projectFolder.appendingPathComponent(Self.otherBuild).path, "arm64",
                ])
            #expect(await served.stop() == 0)
        }

        @Test("a dropped report becomes readable with an archive", arguments: ["zip", "xcarchive"])
        func archives(kind: String) async throws {
            let (site, served) = try await Self.start()
            try await Browser.run(
                "symbols.py",
                [
                    site.address, Self.fixture("divide-by-zero.report.ips"),
                    projectFolder.appendingPathComponent(Self.symbols).path, "share(_:among:)",
                    kind,
                ])
            #expect(await served.stop() == 0)
        }

        @Test("a report of every format is shown when it is dropped")
        func formats() async throws {
            let (site, served) = try await Self.start()
            try await Browser.run(
                "formats.py",
                [
                    site.address,
                    projectFolder.appendingPathComponent("Fixtures/Diagnostics/\(Self.build)").path,
                ])
            #expect(await served.stop() == 0)
        }

        @Test("icicles agree with their data, and are searched and zoomed without the script")
        func icicles() async throws {
            let (site, served) = try await Self.start()
            let ids = try await Self.fill(site)
            try await Browser.run(
                "icicle.py",
                [
                    site.address, "/d/\(ids.hang)", try await Self.group(site, "hang"),
                    "/flame?app=com.example.Orchard&version=1.4.0&kind=hang",
                ])
            #expect(await served.stop() == 0)
        }

        @Test("open pages follow a crash and an upload: an image is missing, then it is readable")
        func upload() async throws {
            let (site, served) = try await Self.start()
            let file = "Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"
            try await Browser.run(
                "missing.py",
                [
                    site.address, Self.fixture("divide-by-zero.crash.json"),
                    projectFolder.appendingPathComponent("\(Self.symbols)/\(file)").path,
                    Self.image, "buttonTapped(_:)",
                ])
            #expect(await served.stop() == 0)
        }

        @Test("tokens: signing in and out, forged cookies, other sites and other apps")
        func tokens() async throws {
            let token = "first-token-of-this-test-0123456789"
            let other = "other-token-of-this-test-0123456789"
            let site = try Site(
                exports: [],
                settings: [
                    "AUTH_TOKENS_0_TOKEN": token, "AUTH_TOKENS_0_SCOPES": "ingest,upload,read",
                    "AUTH_TOKENS_1_TOKEN": other, "AUTH_TOKENS_1_SCOPES": "read",
                    "AUTH_TOKENS_1_APP": "com.example.other",
                ])
            let served = try await site.start()
            try await Browser.run(
                "tokens.py",
                [site.address, token, other, Self.fixture("divide-by-zero.crash.json")])
            #expect(await served.stop() == 0)
        }

        @Test("the menu of downloads opens and closes, clean in every mode")
        func menu() async throws {
            let (site, served) = try await Self.start()
            let ids = try await Self.fill(site)
            try await Browser.run("menu.py", [site.address, "/d/\(ids.crash)"])
            #expect(await served.stop() == 0)
        }

        @Test("records that an exporter refused are resent with the button, and disappear")
        func resend() async throws {
            let word = Data("rebuildIndex(rows:)".utf8)
            let refuses = Flag(true)
            // A receiver that refuses everything would be an outage.
            let backend = try Backend(refusing: { body in
                refuses.isSet && Data(body).firstRange(of: word) != nil
            })
            try await backend.start()
            let site = try Site(exports: [backend.url])
            let served = try await site.start()
            _ = try await Self.fill(site)
            let later = try Requests.logs([Requests.plain("later")])
            try await site.client.deliver(logs: later)
            let isRefused = await eventually {
                let reply = try? await site.client.get("/v1/status")
                let exporters = (try? reply?.object())?["exporters"] as? [[String: Any]]
                return (exporters?.first?["dead_letters"] as? Int ?? 0) > 0
            }
            #expect(isRefused)
            refuses.isSet = false
            try await Browser.run(
                "health.py", [site.address, Self.fixture("divide-by-zero.crash.json")])
            #expect(await served.stop() == 0)
            await backend.stop()
        }

        @Test("the attributes of a record are in a fold, clean in every mode")
        func attributes() async throws {
            let (site, served) = try await Self.start()
            let ids = try await Self.fill(site)
            try await Browser.run(
                "attributes.py", [site.address, "/d/\(ids.crash)", "com.example.Orchard"])
            #expect(await served.stop() == 0)
        }

        @Test("every form works without the script")
        func forms() async throws {
            let (site, served) = try await Self.start()
            _ = try await Self.fill(site)
            try await Browser.run(
                "forms.py", [site.address, Self.fixture("divide-by-zero.report.ips")])
            #expect(await served.stop() == 0)
        }

        @Test("reading, copying and moving work with the keyboard alone")
        func keyboard() async throws {
            let (site, served) = try await Self.start()
            let ids = try await Self.fill(site)
            try await Browser.run(
                "keyboard.py", [site.address, "/d/\(ids.crash)", "/d/\(ids.hang)"])
            #expect(await served.stop() == 0)
        }

        @Test("hostile names are shown, not run and not reordered")
        func hostile() async throws {
            let (site, served) = try await Self.start()
            let report = try String(
                contentsOfFile: Self.fixture("divide-by-zero.crash.json"), encoding: .utf8)
            let hostile =
                #"<img src=x onerror=hostile=1>\"\u0301 onmouseover=\"hostile=1\"\u202e\u0000<script>hostile=1</script>"#
            let payload = report.replacing("OrchardKit", with: hostile)
                .replacing("com.example.Orchard", with: hostile)
                .replacing("\"1.4.0\"", with: "\"javascript:hostile=1\"")
                .replacing("iPhone OS 18.1", with: String(repeating: "x", count: 20_000))
            #expect(
                try await site.client.post(
                    "/v1/metrickit", Array(payload.utf8), type: "application/json"
                ).status == 202)
            let id = try await Self.newest(site, "kind=crash")
            try await Browser.run(
                "hostile.py",
                [
                    site.address, "/d/\(id)", "/d/\(id)?view=text", "/missing", "/",
                    "/d/\(id)#attributes",
                ])
            #expect(await served.stop() == 0)
        }

        @Test("long names without blanks widen neither pages nor lists, and fit into charts")
        func long() async throws {
            let (site, served) = try await Self.start()
            let app = "com.example." + String(repeating: "Orchard", count: 40)
            let version = "1.4.0-" + String(repeating: "feature", count: 20)
            let report = try String(
                contentsOfFile: Self.fixture("divide-by-zero.crash.json"), encoding: .utf8)
            let crash = report.replacing("com.example.Orchard", with: app)
                .replacing("\"1.4.0\"", with: "\"\(version)\"")
            let metrics = OrchardMetrics.day(
                version: version, app: app, firstDraw: [(300, 3)],
                end: "2026-10-20 23:00:00 +0000")
            for payload in [crash, metrics] {
                let reply = try await site.client.post(
                    "/v1/metrickit", Array(payload.utf8), type: "application/json")
                #expect(reply.status == 202)
            }
            _ = try await Self.newest(site, "kind=crash")
            try await Browser.run(
                "long.py",
                [site.address, "/", "/?app=\(app)", "/versions", "/health", "/flame?app=\(app)"])
            #expect(await served.stop() == 0)
        }

        private static let build = Requests.build
        private static let symbols = "Symbols/\(build)"
        private static let otherBuild =
            "Symbols/orchard-1.4.0-arm64-debug-dwarf5/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"
        private static let image = "4C4C4481-5555-3144-A199-BFCEAE3FE729"

        private static func fixture(_ name: String) -> String {
            projectFolder.appendingPathComponent("Fixtures/Diagnostics/\(build)/\(name)").path
        }

        private static func start() async throws -> (Site, Served) {
            let site = try Site(exports: [])
            return (site, try await site.start())
        }

        /// Sends a crash and a hang with symbols, a crash without, and metrics.
        private static func fill(_ site: Site) async throws -> (crash: String, hang: String) {
            let query = "app=com.example.Orchard&version=1.4.0&build=217"
            for file in try Requests.orchardFiles() {
                let reply = try await site.client.post(
                    "/v1/symbols?\(query)", file, type: "application/octet-stream")
                #expect(reply.status == 201)
            }
            let other = projectFolder.appendingPathComponent(
                "Fixtures/Diagnostics/orchard-1.4.0-arm64-debug-dwarf5/array-index.crash.json")
            for path in [
                other.path, fixture("divide-by-zero.crash.json"),
                fixture("index-rebuild.hang.json"),
            ] {
                let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
                let reply = try await site.client.post(
                    "/v1/metrickit", body, type: "application/json")
                #expect(reply.status == 202)
            }
            for version in ["1.3.0", "1.4.0"] {
                let text = OrchardMetrics.day(
                    version: version, firstDraw: [(300, 3)], end: "2026-10-20 23:00:00 +0000")
                _ = try await site.client.post(
                    "/v1/metrickit", Array(text.utf8), type: "application/json")
            }
            return (
                try await newest(site, "kind=crash&status=symbolicated"),
                try await newest(site, "kind=hang")
            )
        }

        /// The path of the page of the group that was seen last.
        private static func group(_ site: Site, _ kind: String) async throws -> String {
            let reply = try await site.client.get("/v1/groups?kind=\(kind)&status=readable")
            let groups = try reply.object()["groups"] as? [[String: Any]]
            return "/g/\(try #require(groups?.first?["fingerprint"] as? String))"
        }

        /// Waits for a diagnostic, and returns its identifier.
        private static func newest(_ site: Site, _ query: String) async throws -> String {
            var id: String?
            let isThere = await eventually {
                let reply = try? await site.client.get("/v1/diagnostics?\(query)")
                let list = (try? reply?.object())?["diagnostics"] as? [[String: Any]]
                id = list?.first?["id"] as? String
                return id != nil
            }
            #expect(isThere)
            return try #require(id)
        }
    }
}

extension Site {
    fileprivate var address: String { "http://127.0.0.1:\(port)" }
}

/// A flag that tests set while other tasks read it.
private final class Flag: Sendable {
    private let state: Mutex<Bool>

    init(_ isSet: Bool) { state = Mutex(isSet) }

    var isSet: Bool {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }
}

/// The browser, and the Python environment that drives it.
private enum Browser {
    /// `Scripts/test` installs the browser and requires it; otherwise it is used if installed.
    static let isWanted =
        ProcessInfo.processInfo.environment["REQUIRE_PEERS"] == "1"
        || FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")
            && FileManager.default.isExecutableFile(atPath: python)

    private static let python =
        projectFolder.appendingPathComponent(".build-peers/bin/python").path

    /// Runs a script, and expects it to succeed.
    static func run(_ script: String, _ arguments: [String]) async throws {
        let log = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        let path = projectFolder.appendingPathComponent("Tests/Pages/\(script)").path
        let process = try Served(
            [python, path] + arguments, environment: ProcessInfo.processInfo.environment, log: log)
        let status = await process.status
        let output = try String(contentsOf: log, encoding: .utf8)
        #expect(status == 0, "\(script): \(output)")
        if !output.isEmpty { print("\(script): \(output)", terminator: "") }
    }
}
