import CallStacks
import Crypto
import Decompression
import Foundation
import SentryProtocol
import SymbolIntake
import TestSupport
import Testing

@testable import HTTPService

/// The wire format of sentry-cli's uploads, including requests that no version of it sends.
@Suite("Uploads by chunks", .ownThreads)
struct SentryTests {
    private static let chunks = "/api/0/organizations/acme/chunk-upload/"
    private static let app = "com.example.orchard"

    private static func assemble(_ app: String = app) -> String {
        "/api/0/projects/acme/\(app)/files/difs/assemble/"
    }

    private static func checksum(_ bytes: [UInt8]) -> String {
        Insecure.SHA1.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
    }

    private static func part(_ bytes: [UInt8], named checksum: String) -> (String, [UInt8]) {
        (#"name="file"; filename="\#(checksum)""#, bytes)
    }

    private static func send(
        _ bytes: [[UInt8]], to service: RunningService, _ headers: [String: String] = [:]
    ) async throws -> Answer {
        let form = UploadTests.form(bytes.map { part($0, named: checksum($0)) })
        return try await service.post(
            chunks, form, UploadTests.multipart.merging(headers) { $1 })
    }

    /// Queries the state of a file of one or more chunks.
    private static func ask(
        _ service: RunningService, _ chunks: [[UInt8]], app: String = app,
        file: String? = nil, name: String = "Orchard", _ headers: [String: String] = [:]
    ) async throws -> [String: Any] {
        let key = file ?? checksum(chunks.flatMap(\.self))
        let body = try JSONSerialization.data(withJSONObject: [
            key: ["name": name, "chunks": chunks.map(checksum)]
        ])
        let answer = try await service.post(assemble(app), [UInt8](body), headers)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.header("content-type") == "application/json")
        let object = try answer.object()
        #expect(Array(object.keys) == [key])
        return try #require(object[key] as? [String: Any])
    }

    /// Queries the state until the file is processed.
    private static func result(
        _ service: RunningService, _ chunks: [[UInt8]], app: String = app,
        name: String = "Orchard", _ headers: [String: String] = [:]
    ) async throws -> [String: Any] {
        while true {
            let reply = try await ask(service, chunks, app: app, name: name, headers)
            guard reply["state"] as? String == "assembling" else { return reply }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func expectDetail(_ answer: Answer, _ status: Int, _ text: String) throws {
        #expect(answer.status == status, "\(answer.text)")
        let object = try answer.object()
        #expect(Array(object.keys) == ["detail"])
        let detail = try #require(object["detail"] as? String)
        #expect(detail.contains(text), "\(detail)")
        expectSentence(detail)
    }

    /// A dSYM in three chunks.
    private static func file() throws -> [[UInt8]] {
        let bytes = try projectFile(Orchard.kitDSYM)
        let third = bytes.count / 3
        return [
            Array(bytes[..<third]), Array(bytes[third..<2 * third]), Array(bytes[(2 * third)...]),
        ]
    }

    @Test("the options have every field that a client requires, and a URL below the client's root")
    func options() async throws {
        try await RunningService.run { service in
            let answer = try await service.get(Self.chunks)
            let object = try answer.object()
            #expect(object["url"] as? String == Self.chunks)
            #expect(object["hashAlgorithm"] as? String == "sha1")
            #expect(object["compression"] as? [String] == ["gzip"])
            let accepted = object["accept"] as? [String] ?? []
            #expect(accepted.contains("debug_files") && accepted.contains("sources"))
            for key in [
                "chunkSize", "chunksPerRequest", "maxRequestSize", "maxFileSize", "maxWait",
                "concurrency",
            ] { #expect(object[key] as? Int ?? 0 > 0, "\(key)") }
            #expect(object["concurrency"] as? Int ?? 256 < 256)
        }
    }

    @Test("a file is missing, assembled, stored, and stored at once when it is sent again")
    func wholeWay() async throws {
        try await RunningService.run { service in
            let file = try Self.file()
            let missing = try await Self.ask(service, file)
            #expect(missing["state"] as? String == "not_found")
            #expect(missing["missingChunks"] as? [String] == file.map(Self.checksum))
            #expect(try await Self.send(Array(file[1...]), to: service).status == 200)
            let rest = try await Self.ask(service, file)
            #expect(rest["missingChunks"] as? [String] == [Self.checksum(file[0])])
            #expect(try await Self.send([file[0], file[0]], to: service).status == 200)
            let stored = try await Self.result(service, file)
            #expect(stored["state"] as? String == "ok", "\(stored)")
            #expect(stored["missingChunks"] as? [String] == [])
            let dif = try #require(stored["dif"] as? [String: Any])
            #expect(dif["sha1"] as? String == Self.checksum(file.flatMap(\.self)))
            #expect(dif["cpuName"] as? String == "arm64")
            #expect((dif["data"] as? [String: Any])?["type"] as? String == "dbg")
            #expect(service.incoming == [])
            let again = try await Self.ask(service, file)
            #expect(again["state"] as? String == "ok")
        }
    }

    @Test("a removed file is missing again")
    func removed() async throws {
        try await RunningService.run { service in
            let file = try Self.file()
            #expect(try await Self.send(file, to: service).status == 200)
            let stored = try await Self.result(service, file)
            let dif = try #require(stored["dif"] as? [String: Any])
            let id = try #require(dif["debugId"] as? String)
            #expect(try await service.send("DELETE", "/v1/symbols/\(id)").status == 200)
            // The chunks are still there, so the file is assembled again.
            let state = try await Self.ask(service, file)["state"] as? String
            #expect(state == "assembling")
        }
    }

    @Test("a chunk whose checksum is wrong is refused and not stored")
    func wrongChecksum() async throws {
        try await RunningService.run { service in
            let (good, bad) = ([UInt8]("good".utf8), [UInt8]("bad".utf8))
            let form = UploadTests.form([
                Self.part(good, named: Self.checksum(good)),
                Self.part(bad, named: Self.checksum(good + bad)),
            ])
            let answer = try await service.post(Self.chunks, form, UploadTests.multipart)
            try Self.expectDetail(answer, 400, "checksum")
            let state = try await Self.ask(
                service, [good, bad], file: Self.checksum(good + bad))
            #expect(state["missingChunks"] as? [String] == [Self.checksum(bad)])
            #expect(service.incoming == [])
        }
    }

    @Test("chunks that do not make the file are an error once, and can then be sent again")
    func mismatch() async throws {
        try await RunningService.run { service in
            let file = try Self.file()
            #expect(try await Self.send(file, to: service).status == 200)
            let key = Self.checksum([1])
            var reply = try await Self.ask(service, file, file: key)
            while reply["state"] as? String == "assembling" {
                reply = try await Self.ask(service, file, file: key)
            }
            #expect(reply["state"] as? String == "error")
            let again = try await Self.ask(service, file)
            #expect(again["missingChunks"] as? [String] == file.map(Self.checksum))
        }
    }

    @Test("content that is not a debug file is an error, and stays one")
    func garbage() async throws {
        try await RunningService.run { service in
            for content in [[UInt8]("text".utf8), Array("SYSB\u{1}".utf8)] {
                #expect(try await Self.send([content], to: service).status == 200)
                let isSource = content.starts(with: Array("SYSB".utf8))
                for _ in 0..<2 {
                    let reply = try await Self.result(service, [content])
                    #expect(reply["state"] as? String == (isSource ? "ok" : "error"))
                    #expect((reply["detail"] as? String)?.isEmpty == false)
                    #expect(reply["dif"] == nil)
                }
            }
            let empty = try await Self.ask(service, [])
            #expect(empty["state"] as? String == "error")
        }
    }

    @Test(
        "a program without symbols is kept once its debug file is stored, in whatever order they come",
        arguments: [["press", "press.debug"], ["press.debug", "press"]])
    func executables(names: [String]) async throws {
        try await RunningService.run { service in
            let files = try names.map { try projectFile("Symbols/linux-cpp-gcc-dwarf4/\($0)") }
            #expect(try await Self.send(files, to: service).status == 200)
            for (name, file) in zip(names, files) {
                let reply = try await Self.result(service, [file], name: name)
                let isAlone = name == "press" && name == names.first
                #expect(reply["state"] as? String == (isAlone ? "error" : "ok"), "\(reply)")
            }
            for (name, file) in zip(names, files) {
                let reply = try await Self.result(service, [file], name: name)
                #expect(reply["state"] as? String == "ok", "\(reply)")
            }
            let path = "/buildid/\(OwnedApps.elfDebugImage)/executable"
            let program = files[names.firstIndex(of: "press") ?? 0]
            #expect(try await service.get(path).body == program)
        }
    }

    @Test("requests past a limit are refused in the protocol's form")
    func limits() async throws {
        try await RunningService.run { service in
            let many = (0...ChunkUploadOptions.chunkLimit).map { [UInt8($0)] }
            try Self.expectDetail(try await Self.send(many, to: service), 413, "64")
            let most = Array(many.dropLast())
            #expect(try await Self.send(most, to: service).status == 200)
            let size = ChunkStore.chunkBytesLimit
            let largest = [UInt8](repeating: 7, count: size)
            #expect(try await Self.send([largest], to: service).status == 200)
            let larger = largest + [7]
            try Self.expectDetail(try await Self.send([larger], to: service), 413, "\(size)")
            let bomb = try CompressedBody(gzipping: larger).bytes
            let form = UploadTests.form([
                (#"name="file_gzip"; filename="\#(Self.checksum(larger))""#, bomb)
            ])
            try Self.expectDetail(
                try await service.post(Self.chunks, form, UploadTests.multipart), 413, "\(size)")
            let request = [[UInt8]](repeating: largest, count: 5)
            try Self.expectDetail(
                try await Self.send(request, to: service), 413, "send fewer chunks")
            #expect(service.incoming == [])
        }
    }

    @Test("malformed forms, names and bodies are refused with a sentence")
    func malformed() async throws {
        try await RunningService.run { service in
            let chunk = [UInt8]("chunk".utf8)
            let sum = Self.checksum(chunk)
            for part in [
                (#"name="other"; filename="\#(sum)""#, chunk),
                (#"name="file"; filename="x""#, chunk),
                (#"name="file"; filename="../../\#(sum)""#, chunk),
                (#"name="file_gzip"; filename="\#(sum)""#, chunk),
            ] {
                let answer = try await service.post(
                    Self.chunks, UploadTests.form([part]), UploadTests.multipart)
                try Self.expectDetail(answer, 400, ":")
            }
            let cut = UploadTests.form([Self.part(chunk, named: sum)], ended: false)
            try Self.expectDetail(
                try await service.post(Self.chunks, cut, UploadTests.multipart), 400, "truncated")
            try Self.expectDetail(
                try await service.post(Self.assemble(), Array("[]".utf8)), 400, "body")
            try Self.expectDetail(
                try await service.post(Self.assemble(), Array("{}".utf8), ["X-Build": "1"]), 400,
                "VERSION+BUILD")
            for path in ["a%20b", String(repeating: "a", count: 129), "%2e%2e%2f"] {
                let answer = try await service.post(Self.assemble(path), Array("{}".utf8))
                try Self.expectDetail(answer, 400, "project")
            }
            let unknown = try await service.get("/api/0/organizations/")
            try Self.expectDetail(unknown, 404, "path")
            #expect(service.incoming == [])
        }
    }

    @Test("a token neither sees nor uses the chunks that another app's token sent")
    func foreignChunks() async throws {
        try await RunningService.run {
            $0.tokens = OwnedApps.tokens
        } use: { service in
            let file = try Self.file()
            let other = OwnedApps.token(.upload, of: OwnedApps.other)
            let mine = OwnedApps.token(.upload, of: OwnedApps.mine)
            #expect(try await Self.send(file, to: service, other).status == 200)
            let state = try await Self.ask(service, file, app: OwnedApps.mine, mine)
            #expect(state["missingChunks"] as? [String] == file.map(Self.checksum))
            let stored = try await Self.result(service, file, app: OwnedApps.other, other)
            #expect(stored["state"] as? String == "ok", "\(stored)")
            let after = try await Self.ask(service, file, app: OwnedApps.mine, mine)
            #expect(after["state"] as? String == "not_found")
        }
    }

    @Test("unfinished chunks are bounded on disk, and more are refused until there is room")
    func bounded() async throws {
        try await RunningService.run {
            $0.bundleLimit = 1_000
        } use: { service in
            let chunks = (0..<3).map { [UInt8](repeating: UInt8($0), count: 900) }
            #expect(try await Self.send([chunks[0]], to: service).status == 200)
            #expect(try await Self.send([chunks[1]], to: service).status == 200)
            let full = try await Self.send([chunks[2]], to: service)
            try Self.expectDetail(full, 503, "2000 bytes")
            #expect(full.header("retry-after") != nil)
            let state = try await Self.result(service, [chunks[0]])
            #expect(state["state"] as? String == "error")
            // Removing the chunk of a finished file frees space.
            #expect(try await Self.send([chunks[2]], to: service).status == 200)
        }
    }

    /// A dSYM whose only function has a placeholder for a name, its property list, and the map with
    /// the name.
    private static var hidden: [(name: String, content: [UInt8])] {
        var file = MachOBuilder.library()
        file.fileType = 10
        file.uuid = [UInt8](repeating: 0xb1, count: 16)
        file.symbols = [.init("__hidden#1_", at: 0x1_0000_1000)]
        let original = "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>DBGOriginalUUID</key><string>\(original)</string>
            </dict></plist>
            """
        return [
            ("Orchard", file.bytes()), ("\(hiddenImage).plist", Array(list.utf8)),
            (
                "\(original).bcsymbolmap",
                Array("BCSymbolMap Version: 2.0\n_other\n-[Crate open]".utf8)
            ),
        ]
    }

    private static let hiddenImage = "B1B1B1B1-B1B1-B1B1-B1B1-B1B1B1B1B1B1"

    private static func hiddenName(_ service: RunningService) async throws -> String {
        let question = #"{"images": [{"uuid": "\#(hiddenImage)", "offsets": [4096]}]}"#
        return try await service.post("/v1/lookup", Array(question.utf8)).text
    }

    @Test(
        "a symbol map restores hidden names, whichever file arrives first",
        arguments: [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    func symbolMaps(order: [Int]) async throws {
        try await RunningService.run { service in
            for number in order {
                let file = Self.hidden[number]
                if number == order.last, number != 0 {
                    #expect(!(try await Self.hiddenName(service)).contains("Crate"))
                }
                #expect(try await Self.send([file.content], to: service).status == 200)
                let reply = try await Self.result(service, [file.content], name: file.name)
                #expect(reply["state"] as? String == "ok", "\(reply)")
                #expect((reply["dif"] == nil) == (number != 0), "\(reply)")
            }
            let name = try await Self.hiddenName(service)
            #expect(name.contains("-[Crate open]"), "\(name)")
        }
    }

    @Test("a symbol map of another app restores no names, and a damaged one is rejected")
    func foreignSymbolMaps() async throws {
        try await RunningService.run { service in
            for number in [1, 2, 0] {
                let file = Self.hidden[number]
                let app = number == 0 ? Self.app : "com.example.other"
                #expect(try await Self.send([file.content], to: service).status == 200)
                let reply = try await Self.result(
                    service, [file.content], app: app, name: file.name)
                #expect(reply["state"] as? String == "ok", "\(reply)")
            }
            #expect(!(try await Self.hiddenName(service)).contains("Crate"))
            let name = Self.hidden[2].name
            for content in ["BCSymbol", "../../etc/passwd"] {
                let bytes = Array(content.utf8)
                #expect(try await Self.send([bytes], to: service).status == 200)
                let reply = try await Self.result(service, [bytes], name: name)
                #expect(reply["state"] as? String == "error", "\(reply)")
            }
        }
    }
}
