import CallStacks
import Foundation
import Pages
import TestSupport
import Testing

@testable import HTTPService

@Suite("Dropping files", .ownThreads)
struct DropTests {
    /// A form with files and fields.
    private static func form(
        files: [(String, [UInt8])], fields: [String: String] = [:]
    ) -> [UInt8] {
        var body: [UInt8] = []
        for (name, value) in fields {
            body += Array(
                "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        for (name, bytes) in files {
            body += Array(
                ("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
                    + "Content-Type: application/octet-stream\r\n\r\n").utf8)
            body += bytes + Array("\r\n".utf8)
        }
        return body + Array("--b--\r\n".utf8)
    }

    private static let type = ["content-type": "multipart/form-data; boundary=b"]

    private static func drop(
        _ files: [(String, [UInt8])], fields: [String: String] = [:],
        query: String = "", headers: [String: String] = ["accept": "text/html"],
        to service: RunningService
    ) async throws -> Answer {
        try await service.send(
            "POST", "/drop" + query, type.merging(headers) { $1 },
            body: form(files: files, fields: fields),
            client: browser)
    }

    private static func report(_ name: String) throws -> [UInt8] {
        try projectFile("Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/\(name)")
    }

    @Test("a dropped report is shown, and readable once its dSYMs are dropped")
    func readable() async throws {
        try await RunningService.run { service in
            let file = try Self.report("divide-by-zero.report.ips")
            let answer = try await Self.drop([("crash.ips", file)], to: service)
            #expect(answer.status == 303)
            let path = try #require(answer.header("location"))
            #expect(path.wholeMatch(of: /\/r\/[0-9a-f]{32}/) != nil)
            let raw = try await service.open(path)
            #expect(raw.text.contains("no symbols for this image"))
            let symbols = try await Self.drop(
                [
                    (
                        "Orchard.app.dSYM/Contents/Resources/DWARF/Orchard",
                        projectFile(Orchard.dSYM)
                    ),
                    ("Orchard.app.dSYM/Contents/Info.plist", Array("<plist/>".utf8)),
                    (
                        "OrchardKit.dSYM/Contents/Resources/DWARF/OrchardKit",
                        projectFile(Orchard.kitDSYM)
                    ),
                ], headers: ["accept": "application/json"], to: service)
            let results = try symbols.list("files")
            #expect(results.compactMap { $0["status"] as? String } == ["indexed", "indexed"])
            #expect(try symbols.object()["not_read"] as? [String] == [])
            let readable = try await service.open(path)
            #expect(readable.text.contains("share(_:among:)"))
            #expect(!raw.text.contains("Readable since"))
            #expect(readable.text.contains(/UTC, when Orchard(Kit)? arrived/))
            #expect(!readable.text.contains("id=\"attributes\""), "it has no record")
            #expect(raw.header("etag") != readable.header("etag"))
            #expect(service.incoming == [])
            let again = try await Self.drop([("crash.ips", file)], to: service)
            let complete = try await service.open(try #require(again.header("location")))
            #expect(complete.text.contains("share(_:among:)"))
            #expect(!complete.text.contains("Readable since"), "it was readable at once")
            let download = try await service.open("\(path)?download=crash")
            #expect(download.header("content-disposition")?.contains("report.crash") == true)
            let received = try await service.open("\(path)?download=original")
            #expect(
                received.header("content-disposition") == "attachment; filename=\"report.ips\"")
            #expect(received.text.hasPrefix("{") && !received.text.contains("share(_:among:)"))
            let own = try await service.open("\(path)?download=same")
            #expect(own.header("content-disposition") == "attachment; filename=\"report.ips\"")
            #expect(own.header("content-type")?.hasPrefix("text/plain") == true)
            #expect(readable.text.contains(">Own format</a>"))
            #expect(own.text.hasPrefix("{") && own.text.contains("share(_:among:)"))
            let gone = try await service.open("\(path)/forget", method: "POST", body: "")
            #expect(gone.header("location") == "/drop")
            #expect(try await service.open(path).status == 410)
        }
    }

    /// The number of files in one drop.
    private static let dropLength = 32

    @Test("every report of the fixtures is recognized when dropped, and shown with its stacks")
    func fixtures() async throws {
        let root = "Fixtures/Diagnostics"
        let folder = projectFolder.appendingPathComponent(root)
        let paths = (FileManager.default.subpaths(atPath: folder.path) ?? []).sorted().filter {
            $0.contains("/") && !$0.contains(".expected.")
        }
        #expect(paths.count > 250)
        try await RunningService.run { service in
            for start in stride(from: 0, to: paths.count, by: Self.dropLength) {
                let files = try paths[start...].prefix(Self.dropLength).map { path in
                    (path, try projectFile("\(root)/\(path)"))
                }
                let json = ["accept": "application/json"]
                let answer = try await Self.drop(files, headers: json, to: service).object()
                let first = files.first?.0 ?? ""
                #expect(answer["not_read"] as? [String] == [], "from \(first) on")
                let count = try #require(answer["reports"] as? Int)
                #expect(count >= files.count, "from \(first) on")
                let page = try #require(answer["location"] as? String)
                for number in 0..<count {
                    let shown = try await service.open("\(page)?report=\(number)")
                    let stacks = ["class=\"thread\"", "class=\"icicle\""]
                    #expect(
                        stacks.contains { shown.text.contains($0) },
                        "report \(number) from \(first) on")
                }
            }
        }
    }

    @Test("pasted text is read as a report, and unknown files are quoted")
    func text() async throws {
        try await RunningService.run { service in
            let text = String(
                decoding: try Self.report("divide-by-zero.legacy.crash"), as: UTF8.self)
            let pasted = try await Self.drop([("", [])], fields: ["text": text], to: service)
            let path = try #require(pasted.header("location"))
            #expect(try await service.open(path).text.contains("Thread 0 Crashed"))
            let notes = Array("first line\n<b>second</b>\n".utf8)
            let unknown = try await Self.drop([("notes.txt", notes)], to: service)
            let page = try await service.open(try #require(unknown.header("location")))
            #expect(page.text.contains("notes.txt"))
            #expect(page.text.contains("&lt;b&gt;second&lt;/b&gt;"))
            let empty = try await Self.drop([("", [])], fields: ["text": ""], to: service)
            let nothing = try await service.open(try #require(empty.header("location")))
            #expect(nothing.text.contains("No file was received"))
        }
    }

    @Test("several reports are a list, and an archive is read like its files")
    func several() async throws {
        try await RunningService.run { service in
            let files = try [
                ("a.ips", Self.report("divide-by-zero.report.ips")),
                ("b.crash", Self.report("objc-block.legacy.crash")),
            ]
            let answer = try await Self.drop(files, to: service)
            let path = try #require(answer.header("location"))
            let list = try await service.open(path)
            #expect(list.text.contains("\(path)?report=1"))
            let second = try await service.open("\(path)?report=1")
            #expect(second.text.contains("A dropped report"))
            let links = second.text.matches(of: /href="([^"]*download=[a-z]*)"/).map {
                String($0.output.1).replacing("&amp;", with: "&")
            }
            #expect(links.count == 6, "\(links)")
            for link in links {
                let file = try await service.open(link)
                let isFile = file.header("content-disposition")?.hasPrefix("attachment") == true
                #expect(isFile, "\(link)")
            }
            #expect(try await service.open("\(path)?report=7").text.contains("Dropped files"))
        }
    }

    @Test("each kind of file needs its scope, and a report is shown to its owner only")
    func scopes() async throws {
        try await RunningService.withOwnedApps { service in
            let json = ["accept": "application/json"]
            let report = try [("a.ips", Self.report("divide-by-zero.report.ips"))]
            let symbols = [("lib.so", library(1))]
            func status(_ files: [(String, [UInt8])], _ scope: TokenScope) async throws -> Int {
                let token = OwnedApps.token(scope, of: nil).merging(json) { $1 }
                return try await Self.drop(files, headers: token, to: service).status
            }
            #expect(try await status(report, .read) == 200)
            #expect(try await status(report, .ingest) == 200)
            #expect(try await status(report, .upload) == 403)
            #expect(try await status(symbols, .upload) == 200)
            #expect(try await status(symbols, .read) == 403)
            let owner = OwnedApps.token(.read, of: nil)
            let answer = try await Self.drop(
                report, headers: owner.merging(json) { $1 }, to: service)
            let path = try #require(try answer.object()["location"] as? String)
            #expect(try await service.get(path, owner).status == 200)
            #expect(try await service.get(path, OwnedApps.token(.ingest, of: nil)).status == 410)
        }
    }

    @Test("dropped symbols report the number of readable diagnostics, and files of other builds")
    func outcome() async throws {
        let json = ["accept": "application/json"]
        let debug = "Symbols/orchard-1.4.0-arm64-debug-dwarf5/Orchard.app.dSYM"
        let other = try [("Orchard", projectFile("\(debug)/Contents/Resources/DWARF/Orchard"))]
        let wanted = "\(OwnedApps.image) is wanted"
        try await RunningService.run { service in
            // What is on the screen is compared even if the service has no diagnostic.
            let file = try Self.report("divide-by-zero.report.ips")
            let report = try await Self.drop([("crash.ips", file)], headers: json, to: service)
            #expect(try report.object()["message"] is NSNull)
            let shown = try report.list("report_pages")
            #expect(shown.map { $0["name"] as? String } == ["crash.ips"])
            let first = try #require(shown.first?["location"] as? String)
            #expect(try await service.open(first).text.contains("A dropped report"))
            let page = try #require(try report.object()["location"] as? String)
            let id = page.split(separator: "/").last ?? ""
            let wrong = try await Self.drop(
                other, query: "?report=\(id)", headers: json, to: service)
            let image = try #require(try wrong.list("files").first?["uuid"] as? String)
            #expect(try wrong.list("files").first?["architecture"] as? String == "arm64")
            let message = try wrong.object()["message"] as? String ?? ""
            #expect(message.contains("Orchard is another build"))
            #expect(message.contains(image) && message.contains(wanted), "\(message)")
            _ = try await service.receiveCrash()
            // Without the script, the page of the drop has the same text.
            let again = try await Self.drop(other, to: service)
            let list = try await service.open(try #require(again.header("location")))
            #expect(list.text.contains(wanted))
            let row = try await Self.drop(
                [("lib.so", library(1))], query: "?image=\(OwnedApps.image)", headers: json,
                to: service)
            let answer = try row.object()["message"] as? String ?? ""
            #expect(answer.contains("lib.so is another build") && answer.contains(wanted))
            let right = try await Self.drop(
                [("Orchard", projectFile(Orchard.dSYM))], headers: json, to: service)
            #expect(try right.object()["message"] as? String == "1 diagnostic became readable.")
        }
    }

    @Test("dropped symbols are compared with the report that is shown, or with those of the list")
    func reportShown() async throws {
        let json = ["accept": "application/json"]
        let debug = "Symbols/orchard-1.4.0-arm64-debug-dwarf5/Orchard.app.dSYM"
        let other = try [("Orchard", projectFile("\(debug)/Contents/Resources/DWARF/Orchard"))]
        let files = try [
            (
                "cellar.txt",
                Array("cellar 7   9.5: 2 cycles:\n\t  1487 main+0x20 (/src/cellar)\n".utf8)
            ),
            ("b.ips", Self.report("divide-by-zero.report.ips")),
        ]
        try await RunningService.run { service in
            let drop = try await Self.drop(files, headers: json, to: service)
            #expect(try drop.object()["reports"] as? Int == 2)
            let page = try #require(try drop.object()["location"] as? String)
            let id = page.split(separator: "/").last ?? ""
            for (number, isOther) in [("&number=0", false), ("&number=1", true), ("", true)] {
                let answer = try await Self.drop(
                    other, query: "?report=\(id)\(number)", headers: json, to: service)
                let message = try answer.object()["message"] as? String
                #expect((message?.contains("is another build") == true) == isOther, "\(number)")
            }
        }
    }

    @Test("files dropped on an image are compared with it, and each other build is named once")
    func wantedInstead() throws {
        let (kit, other) = try (
            #require(ImageID("1F2E3D4C5B6A7988A7B6C5D4E3F2011C")),
            #require(ImageID("2A3B4C5D6E7F8091A2B3C4D5E6F70819"))
        )
        let missing = [kit, other].map { image in
            ImageStatus(
                image: image, name: image == kit ? "Kit" : "Orchard", architecture: "arm64",
                status: .missing, frameCount: 1)
        }
        func outcome(_ names: [String], on target: ImageID?, of image: ImageID) -> [ImageID] {
            let results = names.map {
                DroppedFiles.Result(name: $0, image: image, status: "indexed")
            }
            return WantedSymbols(missing: [], reported: missing, target: target)
                .outcome(of: results).otherBuilds.map(\.wanted)
        }
        #expect(outcome(["Kit"], on: nil, of: kit) == [])
        #expect(outcome(["Kit"], on: kit, of: kit) == [])
        #expect(outcome(["Kit"], on: other, of: kit) == [other], "another image waits for it")
        let build = try #require(ImageID("3A3B4C5D6E7F8091A2B3C4D5E6F70819"))
        #expect(outcome(["a.dSYM/Kit", "a.app/Kit"], on: nil, of: build) == [kit])
        #expect(outcome(["a.dSYM/Kit", "a.app/Kit"], on: other, of: build) == [other])
    }

    @Test("a drop that is too large is refused before it is sent")
    func ask() async throws {
        try await RunningService.run {
            $0.bundleLimit = 1 << 20
        } use: { service in
            func ask(_ bytes: Int) async throws -> Answer {
                try await service.post("/drop/ask", Array("{\"bytes\": \(bytes)}".utf8))
            }
            #expect(try await ask(1 << 20).status == 200)
            #expect(try await ask(1 << 20 + 1).status == 413)
            try expectError(
                try await service.post(
                    "/drop/ask", Array("x".utf8), ["accept": "application/json"]),
                400, "malformed")
        }
    }

    @Test("the store keeps the newest drops within its limit, for an hour, for their owner")
    func store() {
        let store = DropStore(limit: 20_000)
        let now = UnixTime(rawValue: 1_800_000_000_000)
        let owner = Caller.anonymous
        let other = Caller(name: "other", scopes: [.read], app: nil)
        var files = DroppedFiles()
        files.arrival = now
        files.results = Array(
            repeating: DroppedFiles.Result(name: "a", status: "indexed"), count: 10)
        let ids = (0..<3).map { _ in store.add(files, of: owner) }
        #expect(Set(ids).count == 3)
        #expect(store.files(ids[0], for: owner, now: now) == nil)
        #expect(store.files(ids[2], for: owner, now: now) != nil)
        #expect(store.files(ids[2], for: other, now: now) == nil)
        store.forget(ids[2], for: other)
        #expect(store.files(ids[2], for: owner, now: now) != nil)
        let later = now.advanced(seconds: DropStore.lifetime)
        #expect(store.byteCount > 0)
        #expect(store.files(ids[2], for: owner, now: later) == nil)
        #expect(store.byteCount == 0)
        _ = store.add(files, of: owner)
        store.removeExpired(at: later)
        #expect(store.byteCount == 0)
        let small = DropStore(limit: 0)
        let id = small.add(files, of: owner)
        #expect(small.files(id, for: owner, now: now) != nil)
    }

    @Test("parts of a dropped bundle without symbols are neither listed nor refused uploads")
    func bundle() async throws {
        try await RunningService.run { service in
            let bundle = "Orchard.xcarchive/dSYMs/OrchardKit.framework.dSYM/Contents"
            let answer = try await Self.drop(
                [
                    ("\(bundle)/Info.plist", Array("<plist/>".utf8)),
                    ("\(bundle)/Resources/Relocations/arm64/OrchardKit.yml", Array("---".utf8)),
                    ("\(bundle)/Resources/DWARF/OrchardKit", projectFile(Orchard.kitDSYM)),
                    ("Orchard.xcarchive/Products/Orchard.app/Assets.car", [1, 2, 3]),
                    ("Orchard.xcarchive/Products/Orchard.app/data.zip", Array("PK\u{3}\u{4}".utf8)),
                ], headers: ["accept": "application/json"], to: service)
            #expect(try answer.list("files").compactMap { $0["status"] as? String } == ["indexed"])
            #expect(try answer.object()["not_read"] as? [String] == [])
            let status = try await service.get("/v1/status").object()
            #expect((status["refused_uploads"] as? [Any])?.isEmpty == true)
            #expect(service.incoming == [])
            let notes = try await Self.drop(
                [("notes.txt", Array("some notes".utf8))],
                headers: ["accept": "application/json"], to: service)
            #expect(try notes.object()["not_read"] as? [String] == ["notes.txt"])
            let after = try await service.get("/v1/status").object()
            #expect((after["refused_uploads"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("a dropped folder and a dropped archive of it name their build, and belong to its app")
    func builds() async throws {
        let list = """
            <?xml version="1.0"?><plist version="1.0"><dict><key>ApplicationProperties</key><dict>\
            <key>CFBundleIdentifier</key><string>com.example.orchard</string>\
            <key>CFBundleShortVersionString</key><string>1.4.0</string>\
            <key>CFBundleVersion</key><string>217</string></dict></dict></plist>
            """
        let files = try [
            ("Orchard.xcarchive/dSYMs/OrchardKit", projectFile(Orchard.kitDSYM)),
            ("Orchard.xcarchive/Info.plist", Array(list.utf8)),
        ]
        var archive = ZipBuilder()
        for (name, bytes) in files { archive.add(name, bytes) }
        for dropped in [files, [("Orchard.xcarchive.zip", archive.bytes())]] {
            try await RunningService.run { service in
                let answer = try await Self.drop(
                    dropped, headers: ["accept": "application/json"], to: service)
                #expect(
                    try answer.list("files").compactMap { $0["status"] as? String } == ["indexed"])
                let builds = try await service.get("/v1/builds").list("builds")
                #expect(builds.map { $0["app"] as? String } == ["com.example.orchard"])
                #expect(builds.map { $0["build"] as? String } == ["217"])
                let stored = try await service.get("/v1/symbols").list("files")
                #expect(stored.map { $0["app"] as? String } == ["com.example.orchard"])
            }
        }
    }
}
