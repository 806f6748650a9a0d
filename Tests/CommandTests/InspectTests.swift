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

    @Test("--uuid prints a line a slice, as dwarfdump does")
    func uuid() throws {
        let run = try workspace.symbolist(
            "inspect", "--uuid", Orchard.kit, "Symbols/linux-cpp-gcc-dwarf4/press", inProject: true)
        #expect(run.status == 0)
        #expect(
            run.text == """
                UUID: \(Orchard.kitID) (arm64) \(Orchard.kitFile)
                UUID: a236dd256e2fe7ef0dee80f4ac6618644b5d503a (x86_64) \
                Symbols/linux-cpp-gcc-dwarf4/press

                """)
        let both = try workspace.symbolist(
            "inspect", "--uuid", "--json", Orchard.kit, inProject: true)
        #expect(both.status == 2)
    }

    @Test("every slice of a universal file is a file of its own")
    func universal() throws {
        let run = try workspace.symbolist("inspect", Orchard.universal, "--json", inProject: true)
        let files = try #require(run.object()["files"] as? [[String: Any]])
        #expect(Set(files.compactMap { $0["arch"] as? String }) == ["arm64", "x86_64"])
    }

    @Test("for a report it says which of its images are served, and why others are not")
    func report() throws {
        let run = try workspace.symbolist(
            "inspect", "--for", Orchard.crash, Orchard.kit, "--json", inProject: true)
        #expect(run.status == 0)
        let images = try #require(run.object()["images"] as? [[String: Any]])
        func image(_ name: String) -> [String: Any] {
            images.first { $0["name"] as? String == name } ?? [:]
        }
        #expect(image("OrchardKit")["verdict"] as? String == "served")
        #expect(image("OrchardKit")["path"] as? String == Orchard.kitFile)
        #expect(image("OrchardKit")["reason"] is NSNull)
        #expect(image("Orchard")["verdict"] as? String == "absent")
        #expect((image("Orchard")["reason"] as? String)?.contains("give its dSYM") == true)
    }

    @Test("files of another build, and those without debug information, are told apart")
    func reportOfAnotherBuild() throws {
        let other = "Symbols/orchard-1.4.0-arm64-size/dSYMs.zip"
        let run = try workspace.symbolist(
            "inspect", "--for", Orchard.crash, other, "\(Orchard.symbols)/Orchard.app/Orchard",
            inProject: true)
        #expect(run.status == 0)
        let lines = run.text.split(separator: "\n").drop { !$0.hasPrefix(Orchard.crash) }
        let kit = try #require(lines.first { $0.contains(" OrchardKit ") })
        #expect(kit.hasPrefix("  rebuilt       OrchardKit \(Orchard.kitID): \(other)/"))
        #expect(kit.contains("/OrchardKit: same name, other UUID "))
        let app = try #require(lines.first { $0.contains(" Orchard ") })
        #expect(app.hasPrefix("  poor          Orchard "))
        #expect(app.contains("Orchard.app/Orchard: no-debug-info: "))
    }

    @Test("a report that cannot be read fails, one without a stack names nothing")
    func noReport() throws {
        let missing = try workspace.symbolist(
            "inspect", "--for", "nosuch", Orchard.absolute(Orchard.kit))
        #expect(missing.status == 1)
        #expect(missing.problems == ["nosuch: no such file: give a path that exists"])
        let empty = try workspace.file("empty.json", text: "{}")
        let run = try workspace.symbolist("inspect", "--for", empty, Orchard.absolute(Orchard.kit))
        #expect(run.status == 3)
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
