import Foundation
import TestSupport
import Testing

@testable import HTTPService
@testable import Ingest

@Suite("Symbols of Apple's own images in the service", .ownThreads)
struct SystemSymbolTests {
    private static let view = "A1A1A1A1-A1A1-A1A1-A1A1-A1A1A1A1A1A1"
    private static let question = Array(
        #"{"uuids": ["\#(view)", "A2A2A2A2-A2A2-A2A2-A2A2-A2A2A2A2A2A2"], "wanted": true}"#.utf8)

    /// The image as a file that was extracted from a cache.
    private static func file(hasLocals: Bool = true) -> [UInt8] {
        var library = CachedLibrary.examples[0]
        if !hasLocals { library.symbols.removeAll { $0.rank == .local } }
        return library.dylib.bytes()
    }

    private static func crash() throws -> [UInt8] {
        [UInt8](
            try Data(
                contentsOf: projectFolder.appendingPathComponent("Fixtures/Caches/crash.json")))
    }

    @Test("a file with all symbols is indexed, and one without locals waits for it")
    func quality() async throws {
        try await RunningService.run { service in
            func missing() async throws -> [String]? {
                try await service.post(
                    "/v1/symbols/missing", Array(#"{"uuids": ["\#(Self.view)"]}"#.utf8)
                )
                .object()["missing"] as? [String]
            }
            let poor = try await service.post("/v1/symbols", Self.file(hasLocals: false))
            #expect(try UploadTests.statuses(poor) == ["stored"])
            #expect(try poor.list("files").first?["kind"] as? String == "system")
            #expect(poor.text.contains("symbols-file-missing"))
            #expect(try await missing() == [Self.view])
            let whole = try await service.post("/v1/symbols", Self.file())
            #expect(try UploadTests.statuses(whole) == ["indexed"])
            #expect(try await missing() == [])
            let listed = try await service.get("/v1/symbols").list("files")
            #expect(listed.map { $0["status"] as? String } == ["indexed"])
            #expect(listed.map { $0["kind"] as? String } == ["system"])
        }
    }

    @Test("an extracted image is listed by its own name, and lookups name it")
    func name() async throws {
        try await RunningService.run { service in
            let stored = try await service.post("/v1/symbols?name=\(Self.view).macho", Self.file())
            #expect(
                try stored.list("files").map { $0["name"] as? String } == ["\(Self.view).macho"])
            let listed = try await service.get("/v1/symbols").list("files")
            #expect(listed.map { $0["name"] as? String } == ["ViewKit"])
            let question = #"{"images": [{"uuid": "\#(Self.view)", "offsets": [1060]}]}"#
            let answer = try await service.post("/v1/lookup", Array(question.utf8))
            let image = try #require(try answer.list("images").first)
            #expect(image["name"] as? String == "ViewKit")
            #expect(answer.text.contains("-[Window layout]"))
            #expect(answer.text.contains(#""in_app":false"#))
        }
    }

    @Test("no endpoint for other tools returns the file of a system image")
    func files() async throws {
        try await RunningService.run { service in
            let stored = try await service.post("/v1/symbols", Self.file())
            #expect(try UploadTests.statuses(stored) == ["indexed"])
            let digits = String(repeating: "a1", count: 16)
            for path in [
                "/buildid/\(digits)/debuginfo", "/buildid/\(digits)/executable",
                "/buildid/\(digits)/section/.symtab",
            ] {
                let answer = try await service.get(path)
                #expect(answer.status == 404, "\(path)")
            }
            let found = try await service.get("/metadata?key=buildid&value=\(digits)")
            #expect(try found.list("results").isEmpty)
        }
    }

    @Test("with a build a file is one of the app's, and makes no image the app's")
    func build() async throws {
        try await RunningService.run { service in
            let answer = try await service.post("/v1/symbols?\(Orchard.build)", Self.file())
            #expect(try answer.list("files").first?["kind"] as? String == "dylib")
            _ = try await service.post("/v1/metrickit", Self.crash())
            try await service.drain()
            let row = try #require(
                try await service.get("/v1/diagnostics").list("diagnostics").first)
            let id = try #require(row["id"] as? String)
            let shown = try await service.get("/v1/diagnostics/\(id)")
            let frames = shown.text.components(separatedBy: #""in_app":true"#).count - 1
            #expect(frames == 1, "the executable alone is the app's")
        }
    }

    @Test("arrived symbols name displayed frames and end the wait, and nothing is resent")
    func arrival() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/metrickit", Self.crash())
            try await service.drain()
            let entryCount = try await service.entries().count
            let before = try #require(
                try await service.get("/v1/diagnostics").list("diagnostics").first)
            let id = try #require(before["id"] as? String)

            let missing = try await service.get("/v1/missing?scope=system").list("missing")
            let view = try #require(missing.first { $0["uuid"] as? String == Self.view })
            #expect(view["frames"] as? Int == 1)
            let system = try #require((view["systems"] as? [[String: Any]])?.first)
            #expect(system["os"] as? String == "iPhone OS 26.1")
            #expect(system["build"] as? String == "23B85")
            #expect(system["arch"] as? String == "arm64e")
            #expect(system["models"] as? [String] == ["iPhone17,1"])
            #expect(system["diagnostics"] as? Int == 1)
            let groups = try await service.get("/v1/missing?group=system").list("systems")
            #expect(groups.map { ($0["images"] as? [Any])?.count } == [2])

            let asked = try await service.post("/v1/symbols/missing", Self.question)
            #expect(try asked.object()["missing"] as? [String] == [Self.view])
            // The other image that the diagnostic waits for, which the query does not name.
            let others = try #require(try asked.list("systems").first)
            let images = try #require(others["images"] as? [[String: Any]])
            #expect(images.count == 1)
            #expect(images.first?["uuid"] as? String != Self.view)
            #expect(images.first?["diagnostics"] as? Int == 1)
            _ = try await service.post("/v1/symbols", Self.file())
            let left = try await service.get("/v1/missing?scope=system").list("missing")
            #expect(!left.contains { $0["uuid"] as? String == Self.view })
            let again = try await service.post("/v1/symbols/missing", Self.question)
            #expect(try again.object()["missing"] as? [String] == [])
            let awaited = try #require(try again.list("systems").first)
            #expect(awaited["build"] as? String == "23B85")
            #expect((awaited["images"] as? [Any])?.count == 1)

            let shown = try await service.get("/v1/diagnostics/\(id)")
            #expect(shown.text.contains("-[Window layout]"))
            let after = try #require(
                try await service.get("/v1/diagnostics").list("diagnostics").first)
            for key in ["status", "fingerprint", "culprit", "revision"] {
                #expect("\(before[key] ?? "")" == "\(after[key] ?? "")", "\(key)")
            }
            _ = try await service.flow.lateSymbols.enqueueDue()
            #expect(try await service.entries().count == entryCount)
        }
    }

    @Test("arrived symbols change only names, also in a payload without addresses")
    func withoutAddresses() async throws {
        let payload = String(decoding: try Self.crash(), as: UTF8.self)
            .replacing("ViewKit", with: "CoreUI").split(separator: "\n")
            .filter { !$0.contains("\"address\"") }.joined(separator: "\n")
        try await RunningService.run { service in
            func diagnostic() async throws -> (values: [String], text: String) {
                let row = try #require(
                    try await service.get("/v1/diagnostics").list("diagnostics").first)
                let id = try #require(row["id"] as? String)
                let keys = ["status", "fingerprint", "culprit", "exception", "revision"]
                return (
                    keys.map { "\(row[$0] ?? "")" },
                    try await service.get("/v1/diagnostics/\(id)").text
                )
            }
            func isInApp(_ text: String) -> [Bool] {
                text.components(separatedBy: #""in_app":"#).dropFirst().map { $0.hasPrefix("true") }
            }
            _ = try await service.post("/v1/metrickit", Array(payload.utf8))
            try await service.drain()
            let before = try await diagnostic()
            #expect(isInApp(before.text) == [false, false, true])
            let stored = try await service.post("/v1/symbols", Self.file())
            #expect(try UploadTests.statuses(stored) == ["indexed"])
            let after = try await diagnostic()
            #expect(after.text.contains("-[Window layout]"))
            #expect(after.values == before.values)
            #expect(isInApp(after.text) == isInApp(before.text))
        }
    }

    @Test("diagnostics that have the exported names of an image still wait for all of its symbols")
    func exportsFirst() async throws {
        try await RunningService.run { service in
            func wanted() async throws -> [String]? {
                try await service.post("/v1/symbols/missing", Self.question)
                    .object()["missing"] as? [String]
            }
            _ = try await service.post("/v1/metrickit", Self.crash())
            try await service.drain()
            _ = try await service.post("/v1/symbols", Self.file(hasLocals: false))
            let listed = try await service.get("/v1/missing?scope=system").list("missing")
            #expect(listed.contains { $0["uuid"] as? String == Self.view })
            #expect(try await wanted() == [Self.view])
            _ = try await service.post("/v1/symbols", Self.file())
            let left = try await service.get("/v1/missing?scope=system").list("missing")
            #expect(!left.contains { $0["uuid"] as? String == Self.view })
            #expect(try await wanted() == [])
        }
    }

    @Test("images are stored with their system, and removed with the last one that has them")
    func systems() async throws {
        try await RunningService.run { service in
            let first = "os=iPhone%20OS%2018.1&os_build=22B83"
            let stored = try await service.post("/v1/symbols?\(first)", Self.file())
            #expect(try UploadTests.statuses(stored) == ["indexed"])
            let question = Array(#"{"uuids": ["\#(Self.view)"]}"#.utf8)
            let asked = try await service.post(
                "/v1/symbols/missing?os=iPhone%20OS%2018.2&os_build=22C152", question)
            #expect(try asked.object()["missing"] as? [String] == [])
            let listed = try await service.get("/v1/systems").list("systems")
            #expect(listed.map { $0["os"] as? String } == ["iPhone OS 18.1", "iPhone OS 18.2"])
            #expect(listed.map { $0["build"] as? String } == ["22B83", "22C152"])
            #expect(listed.map { $0["arch"] as? String } == ["arm64e", "arm64e"])
            #expect(listed.map { $0["images"] as? Int } == [1, 1])

            let kept = try await service.send("DELETE", "/v1/systems/22B83")
            #expect(try kept.list("removed").isEmpty)
            let removed = try await service.send("DELETE", "/v1/systems/22C152")
            #expect(try removed.list("removed").map { $0["uuid"] as? String } == [Self.view])
            #expect(try await service.get("/v1/symbols").list("files").isEmpty)
            try expectError(
                try await service.send("DELETE", "/v1/systems/22C152"), 404, "not_found")
        }
    }

    @Test(
        "diagnostics wait for removed images, whether they arrived before or after the symbols",
        arguments: [true, false])
    func removal(arrivesFirst: Bool) async throws {
        try await RunningService.run { service in
            func arrive() async throws {
                _ = try await service.post("/v1/metrickit", Self.crash())
                try await service.drain()
            }
            func upload() async throws {
                let query = "os=iPhone%20OS%2026.1&os_build=23B85"
                let stored = try await service.post("/v1/symbols?\(query)", Self.file())
                #expect(try UploadTests.statuses(stored) == ["indexed"])
            }
            func waiting() async throws -> [Int?] {
                try await service.get("/v1/missing?scope=system").list("missing")
                    .filter { $0["uuid"] as? String == Self.view }
                    .map { $0["diagnostics"] as? Int }
            }
            if arrivesFirst { try await arrive() }
            try await upload()
            if !arrivesFirst { try await arrive() }
            #expect(try await waiting() == [])
            let removed = try await service.send("DELETE", "/v1/systems/23B85")
            #expect(try removed.list("removed").map { $0["uuid"] as? String } == [Self.view])
            #expect(try await waiting() == [1])
            let asked = try await service.post("/v1/symbols/missing", Self.question)
            #expect(try asked.object()["missing"] as? [String] == [Self.view])
            try await upload()
            #expect(try await waiting() == [])
        }
    }

    @Test("an upload without a system gets the one of the diagnostics that want its images")
    func wantedSystem() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/metrickit", Self.crash())
            try await service.drain()
            _ = try await service.post("/v1/symbols", Self.file())
            let listed = try await service.get("/v1/systems").list("systems")
            #expect(listed.map { $0["build"] as? String } == ["23B85"])
            #expect(listed.map { $0["os"] as? String } == ["iPhone OS 26.1"])
        }
    }

    @Test(
        "a system that is invalid, or named together with an app's build, is refused",
        arguments: [
            "os=iOS%2018.1", "os_build=22/B83", "os_build=x",
            "os_build=22B83&app=a&version=1&build=2",
        ])
    func badSystem(query: String) async throws {
        try await RunningService.run { service in
            for path in ["/v1/symbols", "/v1/symbols/missing"] {
                let body = path.hasSuffix("g") ? Self.question : Self.file()
                try expectError(
                    try await service.post("\(path)?\(query)", body), 400, "bad_system")
            }
            #expect(try await service.get("/v1/symbols").list("files").isEmpty)
        }
    }

    @Test("a token that is bound to an app cannot query the images that all apps wait for")
    func boundToken() async throws {
        try await RunningService.run {
            $0.tokens = OwnedApps.tokens
        } use: { service in
            let bound = try await service.post(
                "/v1/symbols/missing", Self.question,
                OwnedApps.token(.upload, of: OwnedApps.mine))
            try expectError(bound, 403, "wrong_app")
            let file = try await service.post(
                "/v1/symbols?os_build=22B83", Self.file(),
                OwnedApps.token(.upload, of: OwnedApps.mine))
            try expectError(file, 403, "wrong_app")
            let unnamed = try await service.post(
                "/v1/symbols", Self.file(), OwnedApps.token(.upload, of: OwnedApps.mine))
            #expect(try UploadTests.statuses(unnamed) == ["rejected"])
            let free = try await service.post(
                "/v1/symbols/missing", Self.question, OwnedApps.token(.upload, of: nil))
            #expect(free.status == 200)
        }
    }
}
