import Foundation
import TestSupport
import Testing

/// Programs that use Mozilla's protocols: fx-crash-sig, and Sentry's library for Breakpad files.
@Suite(
    "Clients of Mozilla's protocols", .ownThreads,
    .enabled(if: PeerProcess.isWanted(PeerProcess.python)))
struct MozillaClientTests {
    private static func run(_ arguments: [String], in folder: TestFolder) async throws -> [String:
        Any]
    {
        let script = projectFolder.appendingPathComponent("Tests/Peers/mozilla.py").path
        let run = try await PeerProcess(PeerProcess.python, [script] + arguments, in: folder)
        try #require(run.status == 0, "\(run.errors)")
        return try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            ?? [:]
    }

    @Test("fx-crash-sig makes a signature of a stack that it has symbolicated")
    func signature() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            let folder = try TestFolder()
            let stack = try folder.write(
                Array(
                    """
                    {"status": "OK", "crash_info": {"type": "SIGFPE", "crashing_thread": 0},
                     "modules": [{"filename": "OrchardKit", "debug_file": "OrchardKit",
                      "debug_id": "\(MozillaTests.kit)", "base_addr": "0x1000"}],
                     "threads": [{"frames": [{"ip": "0x5170", "module_index": 0}]}]}
                    """.utf8), to: "stack.json")
            let made = try await Self.run(
                ["signature", "http://127.0.0.1:\(service.http)/symbolicate/v5", stack], in: folder)
            #expect(made["signature"] as? String == "hash_weight")
            let frame = try #require((made["frames"] as? [[String: Any]])?.first)
            #expect(frame["function"] as? String == "hash_row")
            #expect(frame["line"] as? Int == 22)
        }
    }

    @Test("a Breakpad symbol file has the functions, lines and inlined calls that a reader finds")
    func symbolFile() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols?name=OrchardKit", projectFile(Orchard.kitDSYM))
            let file = try await service.get("/OrchardKit/\(MozillaTests.kit)/OrchardKit.sym")
            let folder = try TestFolder()
            let path = try folder.write(Array(file.text.utf8), to: "OrchardKit.sym")
            let read = try await Self.run(["symbols", path, "0x4170", "0x422c"], in: folder)
            #expect(read["id"] as? String == Orchard.kit.lowercased())
            #expect(read["arch"] as? String == "arm64")
            #expect(read["format"] as? String == "breakpad")
            let found = try #require(read["functions"] as? [[[String: Any]]])
            #expect(
                found.map { $0.map { $0["symbol"] as? String } } == [
                    ["hash_weight", "hash_row"], ["mix"],
                ])
            #expect(found.map { $0.map { $0["line"] as? Int } } == [[16, 22], [11]])
        }
    }
}
