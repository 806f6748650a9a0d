import Foundation
import SymbolIntake
import TestSupport
import Testing

@testable import HTTPService

@Suite("Symbol uploads", .ownThreads)
struct UploadTests {
    /// Joins parts to a form whose boundary is `b0`: names with their attributes, and contents.
    static func form(_ parts: [(String, [UInt8])], ended: Bool = true) -> [UInt8] {
        var body: [UInt8] = []
        for (disposition, content) in parts {
            body += Array("--b0\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n".utf8)
            body += content + [0x0d, 0x0a]
        }
        return ended ? body + Array("--b0--\r\n".utf8) : body
    }

    static let multipart = ["content-type": "multipart/form-data; boundary=\"b0\""]

    static func statuses(_ answer: Answer) throws -> [String] {
        #expect(answer.status == 201, "\(answer.text)")
        return try answer.list("files").map { $0["status"] as? String ?? "?" }
    }

    @Test("a debug file is indexed, is a duplicate the next time, and its response has all keys")
    func one() async throws {
        try await RunningService.run { service in
            let dSYM = try projectFile(Orchard.kitDSYM)
            let answer = try await service.post(
                "/v1/symbols?\(Orchard.build)&name=OrchardKit", dSYM)
            #expect(try Self.statuses(answer) == ["indexed"])
            let file = try #require(try answer.list("files").first)
            #expect(file["uuid"] as? String == Orchard.kit)
            #expect(file["arch"] as? String == "arm64")
            #expect(file["name"] as? String == "OrchardKit")
            #expect(file["kind"] is String)
            #expect(file["reason"] is NSNull)
            let again = try await service.post("/v1/symbols?\(Orchard.build)", dSYM)
            #expect(try Self.statuses(again) == ["duplicate"])
            #expect(try again.list("files").first?["quality"] as? String == "full")
            #expect(
                try Self.statuses(try await service.post("/v1/symbols", library(1))) == ["stored"])
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("an upload that cannot be stored gets the reason")
    func failedWrite() async throws {
        try await RunningService.run { service in
            try FileManager.default.removeItem(atPath: service.storage.folders.incoming)
            let answer = try await service.post("/v1/symbols", library(1))
            try expectError(answer, 503, "unavailable", "no such file or directory")
            #expect(answer.header("retry-after") != nil)
            let part = ("name=\"file\"; filename=\"a\"", library(1))
            let form = try await service.post("/v1/symbols", Self.form([part]), Self.multipart)
            try expectError(form, 503, "unavailable", "no such file or directory")
        }
    }

    @Test(
        "a form may have a debug file and its split units, in any order", arguments: [false, true])
    func splitUnits(isReversed: Bool) async throws {
        let parts = try ["seeds.debug", "seeds.dwo"].map { name in
            let file = projectFolder.appendingPathComponent("Symbols/linux-c-split-dwarf5/\(name)")
            return ("name=\"file\"; filename=\"\(name)\"", [UInt8](try Data(contentsOf: file)))
        }
        try await RunningService.run { service in
            let form = Self.form(isReversed ? parts.reversed() : parts)
            let answer = try await service.post("/v1/symbols", form, Self.multipart)
            let files = try answer.list("files")
            let names = files.map { $0["name"] as? String }
            #expect(
                names
                    == (isReversed ? ["seeds.dwo", "seeds.debug"] : ["seeds.debug", "seeds.dwo"]))
            #expect(files.map { $0["status"] as? String } == ["indexed", "indexed"])
            let debugFile = try #require(files.first { $0["name"] as? String == "seeds.debug" })
            #expect(debugFile["quality"] as? String == "full")
            #expect(debugFile["reason"] as? String == nil)
        }
    }

    @Test(
        "archives of every kind are unpacked",
        arguments: [
            "zip -qr $out.zip . && mv $out.zip $out", "tar cf $out .", "tar czf $out .",
            "tar c . | xz -1 > $out", "tar c . | zstd -q > $out",
        ])
    func archives(line: String) async throws {
        let bundle = try Orchard.packed(line)
        try await RunningService.run { service in
            let answer = try await service.post("/v1/symbols?\(Orchard.build)", bundle)
            let statuses = try Self.statuses(answer)
            #expect(statuses.filter { $0 == "indexed" }.count == 2)
            #expect(!statuses.contains("rejected"))
            #expect(service.incoming.isEmpty)
            let builds = try await service.get("/v1/builds").list("builds")
            let images = try #require(builds.first?["images"] as? [[String: Any]])
            #expect(images.filter { $0["has_debug_information"] as? Bool == true }.count == 2)
        }
    }

    @Test("a body of any kind may be compressed", arguments: ["gzip", "deflate"])
    func contentCoding(name: String) async throws {
        let bundle = try Orchard.packed("tar cf $out .")
        try await RunningService.run { service in
            let sent =
                name == "gzip" ? try Orchard.packed("tar c . | gzip > $out") : zlibStream(bundle)
            let headers = ["content-encoding": name]
            let answer = try await service.post("/v1/symbols", sent, headers)
            #expect(try Self.statuses(answer).filter { $0 == "indexed" }.count == 2)
            let form = Self.form([("name=f; filename=f", try projectFile(Orchard.kitDSYM))])
            let again = try await service.post(
                "/v1/symbols", zlibStream(form),
                Self.multipart.merging(["content-encoding": "deflate"]) { $1 })
            #expect(try Self.statuses(again) == ["duplicate"])
            for damaged in [Array(sent.dropLast(20)), Array(sent.prefix(1_000)) + bundle] {
                try expectError(
                    try await service.post("/v1/symbols", damaged, headers), 400, "bad_compression")
            }
            try expectError(
                try await service.post("/v1/symbols", sent, ["content-encoding": "br"]), 415,
                "unknown_encoding")
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("a form without a file is refused")
    func formWithoutFile() async throws {
        try await RunningService.run { service in
            let form = Self.form([("name=\"file\"", Array("dSYMs.zip".utf8))])
            let answer = try await service.post(
                "/v1/symbols?\(Orchard.build)", form, Self.multipart)
            try expectError(answer, 400, "malformed", "form: has no file")
        }
    }

    @Test("a form contains several files and the name of their build")
    func form() async throws {
        try await RunningService.run { service in
            let body = Self.form([
                ("name=\"file\"; filename=\"OrchardKit\"", try projectFile(Orchard.kitDSYM)),
                ("name=\"app\"", Array("com.example.orchard".utf8)),
                ("name=\"version\"", Array("1.4.0".utf8)), ("name=\"build\"", Array("217".utf8)),
                ("name=\"more\"; filename=\"\"", library(2)),
            ])
            let answer = try await service.post("/v1/symbols", body, Self.multipart)
            #expect(try Self.statuses(answer) == ["indexed", "stored"])
            let names = try answer.list("files").map { $0["name"] as? String }
            #expect(names == ["OrchardKit", "more"])
            let unnamed = try await service.post("/v1/symbols?name=a%2F%00", library(4))
            #expect(try unnamed.list("files").map { $0["name"] as? String } == ["upload"])
            let builds = try await service.get("/v1/builds?app=com.example.orchard").list("builds")
            #expect(builds.first?["build"] as? String == "217")
            #expect((builds.first?["images"] as? [Any])?.count == 2)
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("a file without debug information is rejected with a reason, and the others are stored")
    func rejected() async throws {
        let bundle = try Orchard.packed(
            "tar cf $out -C OrchardKit.framework.dSYM . && head -c 5000 $out > $out.t && mv $out.t $out"
        )
        try await RunningService.run { service in
            for body in [Array("hello".utf8), [], Array("PK\u{3}\u{4}garbage".utf8), bundle] {
                let answer = try await service.post("/v1/symbols", body)
                let files = try answer.list("files")
                #expect(answer.status == 201)
                #expect(files.map { $0["status"] as? String } == ["rejected"], "\(answer.text)")
                #expect((files.first?["reason"] as? String)?.isEmpty == false)
                #expect(files.first?["uuid"] is NSNull)
            }
            let mixed = Self.form([
                ("name=a; filename=a", Array("hello".utf8)), ("name=b; filename=b", library(3)),
            ])
            let answer = try await service.post("/v1/symbols", mixed, Self.multipart)
            #expect(try Self.statuses(answer) == ["rejected", "stored"])
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("archive entries cannot escape their folder")
    func traversal() async throws {
        var zip = ZipBuilder()
        zip.add("../../../evil", library(4))
        zip.add("/tmp/symbolist-evil", library(5))
        zip.add("good", library(6))
        let bundle = zip.bytes()
        try await RunningService.run { service in
            let answer = try await service.post("/v1/symbols", bundle)
            let files = try answer.list("files")
            #expect(files.contains { $0["uuid"] as? String == identity(6) }, "\(answer.text)")
            let manager = FileManager.default
            #expect(!manager.fileExists(atPath: "/tmp/symbolist-evil"))
            let around = service.folder.deletingLastPathComponent().appendingPathComponent("evil")
            #expect(!manager.fileExists(atPath: around.path))
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("an upload above the limit is rejected, before and after decompression")
    func tooLarge() async throws {
        let large = [UInt8](repeating: 0, count: 1 << 20 + 1)
        let half = [UInt8](repeating: 0, count: 1 << 19 + 1)
        try await RunningService.run {
            $0.bundleLimit = 1 << 20
        } use: { service in
            try expectError(try await service.post("/v1/symbols", large), 413, "bundle_too_large")
            try expectError(
                try await service.post(
                    "/v1/symbols", try Orchard.packed("head -c 99000000 /dev/zero | gzip > $out"),
                    ["content-encoding": "gzip"]), 413, "bundle_too_large")
            let form = Self.form([("name=a; filename=a", half), ("name=b; filename=b", half)])
            try expectError(
                try await service.post("/v1/symbols", form, Self.multipart), 413,
                "bundle_too_large")
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("an archive that unpacks to more than the limit is rejected")
    func bomb() async throws {
        let bomb = try Orchard.packed(
            "mkdir $out.d; head -c 3000000 /dev/zero > $out.d/zeros; tar czf $out -C $out.d .; rm -r $out.d"
        )
        try await RunningService.run(unpackedBytes: 1 << 20) { service in
            let answer = try await service.post("/v1/symbols", bomb)
            #expect(try Self.statuses(answer) == ["rejected"])
            #expect(
                answer.text.contains("unpacks to more than 1 MiB"), "\(answer.text)"
            )
            #expect(service.incoming.isEmpty)
        }
    }

    @Test("an invalid form is rejected and leaves no files")
    func badForms() async throws {
        let file = ("name=f; filename=f", library(7))
        let cases: [(String, [UInt8], String)] = [
            ("multipart/form-data", Self.form([file]), "malformed"),
            ("multipart/form-data; boundary=" + String(repeating: "b", count: 71), [], "malformed"),
            ("multipart/form-data; boundary=b1", Self.form([file]), "malformed"),
            ("multipart/form-data; boundary=b0", Self.form([file], ended: false), "malformed"),
            (
                "multipart/form-data; boundary=b0", Self.form([file, ("filename=x", [])]),
                "malformed"
            ),
            (
                "multipart/form-data; boundary=b0",
                Self.form([file, ("name=app", [UInt8](repeating: 0x61, count: 2_000))]),
                "field_too_long"
            ),
            (
                "multipart/form-data; boundary=b0", Self.form([file, ("name=app", [0x61])]),
                "incomplete_build"
            ),
            (
                "multipart/form-data; boundary=b0", Self.form([file, ("name=app", [])]),
                "incomplete_build"
            ),
            (
                "multipart/form-data; boundary=b0", Self.form([file, ("name=bogus", [0x61])]),
                "unknown_parameter"
            ),
            (
                "multipart/form-data; boundary=b0",
                Self.form((0...100).map { ("name=f; filename=\($0)", []) }), "too_many_files"
            ),
        ]
        try await RunningService.run { service in
            for (type, body, code) in cases {
                let answer = try await service.post("/v1/symbols", body, ["content-type": type])
                try expectError(answer, 400, code)
                #expect(service.incoming.isEmpty)
            }
            try expectError(
                try await service.post("/v1/symbols?app=a&version=1", library(7)), 400,
                "incomplete_build")
            for query in ["app=&version=&build=", "app=", "app=a&version=1&build="] {
                try expectError(
                    try await service.post("/v1/symbols?\(query)", library(7)), 400,
                    "incomplete_build")
            }
            let long = String(repeating: "a", count: 257)
            for app in ["a%00b", "a%0Ab", "%E2%80%AEa", "..", long] {
                try expectError(
                    try await service.post("/v1/symbols?app=\(app)&version=1&build=1", library(7)),
                    400, "bad_build")
            }
            #expect(try await service.get("/v1/symbols").list("files").isEmpty)
        }
    }

    @Test("a truncated upload leaves no files", arguments: [true, false])
    func cutOff(isForm: Bool) async throws {
        try await RunningService.run { service in
            let body =
                isForm
                ? Self.form([("name=f; filename=f", library(8))], ended: false) : library(8)
            let type = isForm ? "multipart/form-data; boundary=b0" : "application/octet-stream"
            let connection = try await RawConnection.open(port: service.http)
            try await connection.send(
                "POST /v1/symbols HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\n"
                    + "Content-Length: \(body.count + 1)\r\n\r\n")
            try await connection.send(body)
            try await connection.closeOutput()
            let answer = try await connection.rest()
            #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
            #expect(answer.contains("\"code\":\"cut_off\""), "\(answer)")
            #expect(service.incoming.isEmpty)
            #expect(try await service.get("/v1/symbols").list("files").isEmpty)
        }
    }
}
