import Foundation
import TestSupport
import Testing

/// `symbolist inspect`.
@Suite("inspect")
struct InspectTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    @Test("the text is as written")
    func golden() throws {
        let run = try workspace.symbolist(
            "inspect", Orchard.symbols, "Symbols/linux-cpp-gcc-dwarf4", Orchard.universal,
            inProject: true)
        #expect(run.status == 0)
        try expectGolden(run.text, "inspect.txt")
    }

    @Test("JSON has the shape of the contract")
    func json() throws {
        let run = try workspace.symbolist(
            "inspect", Orchard.symbols, "--json", inProject: true)
        #expect(run.status == 0)
        let files = try #require(run.object()["files"] as? [[String: Any]])
        #expect(files.count == 4)
        for file in files {
            #expect(file["path"] is String)
            #expect(file["uuid"] is String)
            #expect(file["arch"] as? String == "arm64")
            #expect(file["kind"] is String)
            #expect(file["dwarf_versions"] is [Int])
            #expect(file["producers"] is [String])
            #expect((file["bytes"] as? Int ?? 0) > 0)
            let has = try #require(file["has"] as? [String: Bool])
            #expect(Set(has.keys) == ["functions", "lines", "inlines", "symbols"])
        }
        let app = try #require(
            files.first { ($0["path"] as? String)?.hasSuffix("app/Orchard") == true })
        let warnings = try #require(app["warnings"] as? [String])
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("no-debug-info: ") == true)
        let kit = try #require(
            files.first {
                $0["uuid"] as? String == Orchard.kitID && $0["kind"] as? String == "dsym"
            })
        #expect(kit["warnings"] as? [String] == [])
        #expect(kit["dwarf_versions"] as? [Int] == [4])
    }

    @Test("every slice of a universal file is a file of its own")
    func universal() throws {
        let run = try workspace.symbolist("inspect", Orchard.universal, "--json", inProject: true)
        let files = try #require(run.object()["files"] as? [[String: Any]])
        #expect(Set(files.compactMap { $0["arch"] as? String }) == ["arm64", "x86_64"])
    }

    @Test("what cannot be read is one line, and the rest is shown")
    func someFailed() throws {
        let run = try workspace.symbolist("inspect", "nosuch", Orchard.kit, inProject: true)
        #expect(run.status == 1)
        #expect(run.problems == ["nosuch: no such file or folder: give a path that exists"])
        #expect(run.text.contains(Orchard.kitID))
    }

    @Test("nothing to inspect is an empty list and nothing found")
    func nothing() throws {
        try workspace.file("folder/notes.txt", text: "x")
        let run = try workspace.symbolist("inspect", "folder", "--json")
        #expect(run.status == 3)
        #expect(try (run.object()["files"] as? [Any])?.isEmpty == true)
        #expect(run.problems.count == 1)
    }
}
