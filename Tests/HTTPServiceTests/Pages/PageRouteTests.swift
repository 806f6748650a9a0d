import AsyncHTTPClient
import CallStacks
import EmbeddedDatabase
import Foundation
import TestSupport
import Testing

@testable import HTTPService
@testable import Ingest

/// A client that does not follow redirects.
let browser: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    return HTTPClient(configuration: configuration)
}()

extension RunningService {
    /// Opens a page as a browser does.
    func open(
        _ path: String, _ headers: [String: String] = [:], method: String = "GET",
        body: String? = nil
    ) async throws -> Answer {
        var all = ["accept": "text/html"].merging(headers) { $1 }
        if body != nil { all["content-type"] = "application/x-www-form-urlencoded" }
        return try await send(
            method, path, all, body: body.map { Array($0.utf8) }, client: browser)
    }

    /// Receives a crash and returns the identifier of its diagnostic.
    func receiveCrash() async throws -> String {
        _ = try await post("/v1/metrickit", fixture("divide-by-zero.crash.json"))
        try await drain()
        let row = try #require(try await get("/v1/diagnostics").list("diagnostics").first)
        return try #require(row["id"] as? String)
    }
}

@Suite("Pages over HTTP", .ownThreads)
struct PageRouteTests {
    @Test("every response of a page has the strict policy, errors included")
    func policy() async throws {
        try await RunningService.run { service in
            let id = try await service.receiveCrash()
            let asset = "/assets/\(PageAssetFiles().version)/pages.css"
            for path in ["/d/\(id)", "/d/none", "/missing", "/keys", "/sign-in", asset, "/nowhere"]
            {
                let answer = try await service.open(path)
                let policy = answer.header("content-security-policy") ?? ""
                #expect(policy.hasPrefix("default-src 'none';"), "\(path)")
                #expect(policy.contains("require-trusted-types-for 'script'"), "\(path)")
                #expect(!policy.contains("unsafe"), "\(path)")
                #expect(answer.header("x-content-type-options") == "nosniff", "\(path)")
                #expect(answer.header("referrer-policy") == "same-origin", "\(path)")
                #expect(answer.header("cross-origin-opener-policy") == "same-origin", "\(path)")
                #expect(answer.header("cross-origin-resource-policy") == "same-origin", "\(path)")
                #expect(answer.header("x-robots-tag") == "noindex", "\(path)")
            }
            let json = try await service.get("/v1/symbols")
            #expect(json.header("content-security-policy") == nil)
        }
    }

    @Test("a crash lists its missing symbols, and is readable once they are uploaded")
    func crash() async throws {
        try await RunningService.run { service in
            let id = try await service.receiveCrash()
            let raw = try await service.open("/d/\(id)")
            #expect(raw.status == 200)
            #expect(
                raw.text.contains("mdfind &#39;com_apple_xcode_dsym_uuids == \(OwnedApps.image)"))
            #expect(
                raw.text.contains("symbolist upload PATH --server http://127.0.0.1:\(service.http)")
            )
            #expect(raw.text.contains("no symbols for this image"))
            _ = try await service.post("/v1/symbols", projectFile(Orchard.dSYM))
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let readable = try await service.open("/d/\(id)")
            #expect(readable.text.contains("share(_:among:)"))
            #expect(readable.text.contains("Harvest.swift</bdi>:31:11"))
            #expect(!readable.text.contains("mdfind"))
            #expect(!raw.text.contains("Readable since"))
            #expect(readable.text.contains("Readable since"))
            #expect(readable.text.contains(/UTC, when Orchard(Kit)? arrived/))
            #expect(raw.header("etag") != readable.header("etag"))
            let text = try await service.open("/d/\(id)?view=text")
            #expect(text.text.contains("Thread 0 Crashed"))
        }
    }

    @Test("a page is sent again only if it changed, and compressed if the browser can read that")
    func caching() async throws {
        try await RunningService.run { service in
            let path = "/d/\(try await service.receiveCrash())"
            let page = try await service.open(path)
            let tag = try #require(page.header("etag"))
            #expect(page.header("cache-control") == "private, no-cache")
            #expect(try await service.open(path, ["if-none-match": tag]).status == 304)
            #expect(try await service.open(path, ["if-none-match": "\"other\""]).status == 200)
            let packed = try await service.open(path, ["accept-encoding": "br, gzip;q=0.5"])
            #expect(packed.header("content-encoding") == "gzip")
            #expect(packed.header("etag") == tag)
            #expect(packed.body.count < page.body.count / 2)
            let refused = try await service.open(path, ["accept-encoding": "gzip;q=0.0"])
            #expect(refused.header("content-encoding") == nil)
            let style = try await service.open("/assets/\(PageAssetFiles().version)/pages.css")
            #expect(style.header("cache-control")?.contains("immutable") == true)
            #expect(try await service.open("/assets/0/pages.css").status == 404)
        }
    }

    @Test(
        "downloads are files, and never HTML",
        arguments: ["crash", "text", "json", "markdown", "same", "original"])
    func downloads(format: String) async throws {
        try await RunningService.run { service in
            let answer = try await service.open(
                "/d/\(try await service.receiveCrash())?download=\(format)")
            #expect(answer.status == 200)
            let disposition = answer.header("content-disposition") ?? ""
            #expect(disposition.hasPrefix("attachment; filename=\""))
            #expect(disposition.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
            let type = answer.header("content-type") ?? ""
            #expect(type.hasPrefix("text/plain") || type == "application/json")
        }
    }

    @Test("errors are pages for browsers, and JSON for programs and below /v1")
    func errors() async throws {
        try await RunningService.run { service in
            for (path, status, words) in [
                ("/d/none", 404, "unknown"), ("/images/x", 400, "not a UUID"),
                ("/d/none?frames=no", 404, "unknown"), ("/nowhere", 404, "Path"),
            ] {
                let answer = try await service.open(path)
                #expect(answer.status == status, "\(path)")
                #expect(answer.header("content-type")?.hasPrefix("text/html") == true, "\(path)")
                #expect(answer.text.contains(words), "\(path)")
                let json = try await service.get(path, ["accept": "application/json"])
                #expect(json.header("content-type") == "application/json", "\(path)")
            }
            let api = try await service.open("/v1/diagnostics/none")
            #expect(api.header("content-type") == "application/json")
            let foreign = try await service.open("/missing", ["host": "pages.example"])
            #expect(foreign.status == 421)
            #expect(foreign.text.contains("Unknown host name"))
        }
    }

    @Test("without pages only the endpoints respond")
    func disabled() async throws {
        try await RunningService.run {
            $0.pages = nil
        } use: { service in
            for path in ["/missing", "/keys", "/sign-in"] {
                try expectError(try await service.open(path), 404, "no_such_path")
            }
        }
    }

    @Test(
        "below the path of pages.url every page and link has its prefix, and its host is accepted")
    func prefix() async throws {
        try await RunningService.run {
            $0.pages?.url = "https://crashes.example/team/symbolist/"
        } use: { service in
            let host = ["host": "crashes.example"]
            let page = try await service.open("/team/symbolist/missing", host)
            #expect(page.status == 200)
            let links = page.text.matches(of: /(?:href|src|action)="([^"]*)"/).map(\.output.1)
            #expect(links.allSatisfy { $0.hasPrefix("/team/symbolist/") || $0.hasPrefix("#") })
            #expect(try await service.open("/missing", host).status == 404)
            let start = try await service.open("/team/symbolist/", host)
            #expect(
                start.text.contains("https://crashes.example/v1/metrickit"),
                "the endpoints are not below the prefix")
        }
    }

    @Test("the theme is chosen with a form and kept in a cookie")
    func theme() async throws {
        try await RunningService.run { service in
            let answer = try await service.open(
                "/view", method: "POST", body: "theme=dark&return=%2Fmissing")
            #expect(answer.status == 303)
            #expect(answer.header("location") == "/missing")
            #expect(answer.header("set-cookie")?.contains("symbolist_view=dark;") == true)
            let page = try await service.open("/missing", ["cookie": "symbolist_view=dark"])
            #expect(page.text.contains("data-theme=\"dark\""))
            let hostile = try await service.open(
                "/missing", ["cookie": "symbolist_view=\"><script>"])
            #expect(!hostile.text.contains("data-theme"))
        }
    }

    @Test("an image has a page whether or not the service has it")
    func image() async throws {
        try await RunningService.run { service in
            _ = try await service.receiveCrash()
            let wanted = try await service.open("/images/\(OwnedApps.image)")
            #expect(wanted.text.contains("1 diagnostic waits for its symbols"))
            let build = "--app com.example.Orchard --version 1.4.0 --build 217"
            #expect(wanted.text.contains(build), "as the groups that wait for it")
            let missing = try await service.open("/missing")
            #expect(missing.text.contains(OwnedApps.image))
            #expect(missing.text.contains("never uploaded"))
            #expect(wanted.text.contains("Groups waiting for this image"))
            #expect(wanted.text.contains("href=\"/g/"))
            _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(Orchard.dSYM))
            let stored = try await service.open("/images/\(OwnedApps.image)")
            #expect(stored.text.contains("lines and inlined calls"))
            #expect(stored.text.contains("com.example.orchard 1.4.0 (217)"))
            #expect(!stored.text.contains("Groups waiting for this image"))
            #expect(stored.text.contains("Groups with frames in this image"))
            #expect(stored.text.contains("href=\"/g/"))
            let unknown = try await service.open("/images/\(identity(9))")
            #expect(unknown.text.contains("No file of this image was uploaded"))
            #expect(!unknown.text.contains("Groups"))
        }
    }
}

@Suite("Lists of pages", .ownThreads)
struct ListPageTests {
    @Test("groups are filtered and lead to their diagnostics, and the search to each of them")
    func groups() async throws {
        try await RunningService.run { service in
            let empty = try await service.open("/")
            #expect(empty.text.contains("No crashes or hangs have been received yet"))
            for file in [Orchard.dSYM, Orchard.kitDSYM] {
                _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(file))
            }
            _ = try await service.post("/v1/metrickit", fixture("index-rebuild.hang.json"))
            let id = try await service.receiveCrash()
            let all = try await service.open("/")
            #expect(all.text.contains("share(_:among:)"))
            #expect(all.text.contains("Hangs 1"))
            let hangs = try await service.open("/?kind=hang")
            #expect(!hangs.text.contains("share(_:among:)"))
            let none = try await service.open("/?q=nowhere")
            #expect(none.text.contains("No group matches"))
            #expect(none.text.contains("2 groups without filters"))
            let filtered = "app=com.example.Orchard&kind=crash&version=1.4.0&status=raw&q=a"
            let pills = try await service.open("/?\(filtered)").text
                .matches(of: /<a href="([^"]*)">[A-Z][a-z]+ <bdi>/)
                .map { String($0.output.1).replacing("&amp;", with: "&") }
            #expect(pills.count == 5)
            for pill in pills { #expect(try await service.open(pill).status == 200, "\(pill)") }
            let group = try #require(all.text.firstMatch(of: /href="(\/g\/[^"]*)"/)?.output.1)
            let page = try await service.open(String(group))
            #expect(page.text.contains("/d/\(id)"))
            #expect(try await service.open("/g/none").status == 404)
            for (text, target) in [
                (id, "/d/\(id)"), (OwnedApps.image, "/images/\(OwnedApps.image)"),
                ("share", "/?q=share"), ("index+out", "/?q=index%20out"), ("", "/"),
            ] {
                let found = try await service.open("/search?q=\(text)")
                #expect(found.header("location") == target, "\(text)")
            }
        }
    }

    @Test("builds are listed with their images, and deleted with a form")
    func builds() async throws {
        try await RunningService.run { service in
            #expect(try await service.open("/builds").text.contains("No builds have been uploaded"))
            _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(Orchard.dSYM))
            let path = "/builds/com.example.orchard/1.4.0/217"
            let list = try await service.open("/builds")
            #expect(list.text.contains("href=\"\(path)\""))
            #expect(list.text.contains("<td class=\"count\">0</td>"))
            #expect(list.text.contains("Last uploads"))
            #expect(list.text.contains("href=\"/images/\(OwnedApps.image)\""))
            #expect(list.text.contains(/<td class="count">[0-9.]+ [kM]B<\/td>/))
            let crash = String(decoding: try fixture("divide-by-zero.crash.json"), as: UTF8.self)
                .replacing("com.example.Orchard", with: "com.example.orchard")
            _ = try await service.post("/v1/metrickit", Array(crash.utf8))
            try await service.drain()
            let counted = try await service.open("/builds")
            let link = "href=\"/?app=com.example.orchard&amp;version=1.4.0\""
            #expect(counted.text.contains("\(link)>1</a>"))
            let build = try await service.open(path)
            #expect(build.text.contains(/1 of 1 with lines, [0-9.]+ [kM]B, uploaded/))
            #expect(build.text.contains("Missing images"))
            #expect(build.text.contains("href=\"/images/\(Orchard.kit)\""))
            _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(Orchard.kitDSYM))
            #expect(try await !service.open(path).text.contains("Missing images"))
            #expect(try await service.open(path).text.contains("href=\"\(path)/delete\""))
            let other = try await service.post(
                "/v1/symbols?app=com.example.orchard&version=1.5.0&build=300",
                projectFile(Orchard.kitDSYM))
            #expect(other.status / 100 == 2)
            let question = try await service.open("\(path)/delete")
            #expect(question.text.contains(/the build and 1 debug file, [0-9.]+ [kM]B\./))
            let removed = /Removed<\/h2>[^$]*\/images\/([^"]*)"[^$]*Kept<\/h2>/
            #expect(
                question.text.firstMatch(of: removed)?.output.1 == OwnedApps.image[...],
                "the other image has another build")
            #expect(question.text.contains("part of another build of the app"))
            #expect(question.text.contains("<dt>With functions</dt><dd>1</dd>"))
            let foreign = ["sec-fetch-site": "cross-site"]
            let refused = try await service.open(
                "\(path)/delete", foreign, method: "POST", body: "")
            #expect(refused.status == 403)
            #expect(try await service.open(path).status == 200)
            let deleted = try await service.open("\(path)/delete", method: "POST", body: "")
            #expect(deleted.header("location") == "/builds")
            #expect(try await service.open(path).status == 404)
            #expect(try await service.open("\(path)/delete").status == 404)
            let kept = try await service.get("/v1/symbols").list("files")
            #expect(kept.compactMap { $0["uuid"] as? String } == [Orchard.kit])
        }
    }

    @Test("metrics are charted by version, rated only with enough payloads")
    func versions() async throws {
        try await RunningService.run { service in
            #expect(
                try await service.open("/versions").text.contains("No metrics have been received"))
            for version in ["1.3.0", "1.4.0"] {
                let text = OrchardMetrics.day(
                    version: version, firstDraw: [(300, 3)], end: "2026-10-20 23:00:00 +0000")
                _ = try await service.post("/v1/metrickit", Array(text.utf8))
            }
            try await service.drain()
            let page = try await service.open("/versions")
            #expect(page.text.contains("Time to first draw, ms"))
            #expect(page.text.contains("too few to rate"))
            #expect(page.text.contains(">1 payload</text>"))
            let filtered = try await service.open("/versions?app=com.example.orchard")
            #expect(filtered.text.contains("App <bdi>com.example.orchard</bdi> ×"))
        }
    }

    @Test("the health page lists dead letters by exporter and reason")
    func health() async throws {
        try await RunningService.run { service in
            let page = try await service.open("/health")
            #expect(page.text.contains("Telemetry is accepted"))
            #expect(page.text.contains("No exporter has permanently rejected a record"))
            for number in 1...3 {
                let letter = DeadLetter(
                    exporter: "backend", signal: .logs, refusal: UnixTime(rawValue: 1_000),
                    reason: "400 <script>", recordCount: number, body: [1])
                try await service.database.deadLetter(letter, advancingTo: 0)
            }
            let letters = try await service.open("/health")
            #expect(letters.text.contains("Resend 3"))
            #expect(letters.text.contains("400 &lt;script&gt;"))
            let link = try #require(
                letters.text.firstMatch(of: /href="(\/health\/dead-letters\/[0-9]+)"/)?.output.1)
            let shown = try await service.open(String(link))
            #expect(shown.text.contains("3 dead letters of "))
            #expect(shown.text.matches(of: /<td>logs<\/td>/).count == 3)
            #expect(shown.text.contains("Resend 3"))
            #expect(try await service.open("/health/dead-letters/0").status == 404)
            #expect(try await service.open("\(link)?before=x").status == 400)
            let sent = try await service.open(
                "/health/resend", method: "POST",
                body: "exporter=backend&reason=400+%3Cscript%3E")
            #expect(sent.status == 303)
            let result = try #require(sent.header("location"))
            #expect(result == "/health?sent=0&of=3&exporter=backend")
            let after = try await service.open(result)
            #expect(after.text.contains("Sent 0 of 3 letters. The others failed: "))
            #expect(after.text.contains("is not configured"))
            for query in ["sent=4&of=3", "sent=-1&of=3", "sent=x&of=3", "sent=0&of=-1", "sent=1"] {
                let page = try await service.open("/health?\(query)")
                #expect(page.status == 200 && !page.text.contains("Sent "), "\(query)")
            }
        }
    }
}
