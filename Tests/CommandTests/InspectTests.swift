import Foundation
import TestSupport
import Testing

/// `symbolist inspect`.
@Suite("inspect", .ownThreads)
struct InspectTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    @Test("the text equals the golden file")
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

    @Test("--uuid prints one line per slice, as dwarfdump does")
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
        let checked = try workspace.symbolist(
            "inspect", "--check", "--json", Orchard.kit, inProject: true)
        #expect(checked.status == 2)
        #expect(checked.problems.first?.contains("--check cannot be combined with --json") == true)
    }

    @Test("control characters of file names are not printed")
    func controlCharacters() throws {
        let file = workspace.folder.appendingPathComponent("kit\u{1b}[31m\nUUID: x")
        try FileManager.default.copyItem(
            at: URL(filePath: Orchard.absolute(Orchard.kitFile)), to: file)
        for run in [
            try workspace.symbolist("inspect", file.path),
            try workspace.symbolist("inspect", "--uuid", file.path),
        ] {
            #expect(run.status == 0)
            #expect(run.text.contains("kit\u{fffd}[31m UUID: x"))
            #expect(!run.text.contains("\u{1b}"))
        }
    }

    @Test("every slice of a universal file is listed separately")
    func universal() throws {
        let run = try workspace.symbolist("inspect", Orchard.universal, "--json", inProject: true)
        let files = try #require(run.object()["files"] as? [[String: Any]])
        #expect(Set(files.compactMap { $0["arch"] as? String }) == ["arm64", "x86_64"])
    }

    private func images(_ run: Run) throws -> [String: [String: Any]] {
        let images = try #require(run.object()["images"] as? [[String: Any]])
        return Dictionary(images.map { ($0["name"] as? String ?? "", $0) }) { first, _ in first }
    }

    @Test(
        "with a report, it shows which images match, and why others do not",
        arguments: [["--for", Orchard.crash, Orchard.kit], [Orchard.kit, Orchard.crash]])
    func report(arguments: [String]) throws {
        let line =
            "symbolist inspect --json \(arguments.map(Orchard.argument).joined(separator: " "))"
        let run = try workspace.shell(line)
        #expect(run.status == 0)
        let images = try images(run)
        #expect(images["OrchardKit"]?["verdict"] as? String == "served")
        #expect(images["OrchardKit"]?["status"] as? String == "found")
        #expect(images["OrchardKit"]?["frames"] as? Int == 3)
        #expect(images["OrchardKit"]?["path"] as? String == Orchard.absolute(Orchard.kitFile))
        #expect(images["OrchardKit"]?["reason"] is NSNull)
        #expect(images["Orchard"]?["verdict"] as? String == "absent")
        #expect(images["Orchard"]?["status"] as? String == "missing")
        #expect((images["Orchard"]?["reason"] as? String)?.contains("pass its dSYM") == true)
        #expect((try run.object()["files"] as? [Any])?.count == 1)
    }

    @Test("other builds, other architectures and missing debug information are distinguished")
    func reportOfAnotherBuild() throws {
        let other = "Symbols/orchard-1.4.0-arm64-size/dSYMs.zip"
        let run = try workspace.symbolist(
            "inspect", Orchard.crash, other, "\(Orchard.symbols)/Orchard.app/Orchard",
            inProject: true)
        #expect(run.status == 0)
        let lines = run.text.split(separator: "\n").drop { !$0.hasPrefix(Orchard.crash) }
        let kit = try #require(lines.first { $0.contains(" OrchardKit ") })
        #expect(kit.hasPrefix("  rebuilt   OrchardKit \(Orchard.kitID), 3 frames: \(other)/"))
        #expect(kit.contains("/OrchardKit: same name, different UUID "))
        let app = try #require(lines.first { $0.contains(" Orchard ") })
        #expect(app.hasPrefix("  poor      Orchard "))
        #expect(app.contains("Orchard.app/Orchard: no-debug-info: "))
        let text = try String(contentsOfFile: Orchard.absolute(Orchard.report), encoding: .utf8)
        let report = try workspace.file("x.ips", text: text)
        let simulator = Orchard.absolute("Symbols/orchard-1.4.0-simulator-release")
        let intel = try workspace.symbolist("inspect", report, simulator)
        #expect(intel.text.contains("has only x86_64: use a file with the report's architecture"))
    }

    @Test("a report alone is shown with its format, title, app, system and images")
    func reportAlone() throws {
        let run = try workspace.symbolist(
            "inspect", Orchard.crash, "--symbols", Orchard.symbols, inProject: true)
        #expect(run.status == 0)
        #expect(run.problems.isEmpty)
        try expectGolden(run.text, "inspect-report.txt")
    }

    @Test("without symbols, images are listed but not called missing")
    func reportWithoutSymbols() throws {
        let run = try workspace.symbolist(
            "inspect", Orchard.absolute(Orchard.crash), "--json", "--frames")
        #expect(run.status == 0)
        #expect(try images(run)["Orchard"]?["status"] is NSNull)
        let reports = try #require(run.object()["reports"] as? [[String: Any]])
        #expect(reports.first?["format"] as? String == "metrickit")
        #expect(reports.first?["title"] as? String == "EXC_BREAKPOINT (SIGTRAP)")
        let stacks = try #require(reports.first?["stacks"] as? [[String: Any]])
        let frames = try #require(stacks.first?["frames"] as? [[String: Any]])
        try #require(frames.count > 1)
        #expect(frames[0]["kind"] as? String == "program_counter")
        #expect(frames[0]["lookup_offset"] as? Int == frames[0]["offset"] as? Int)
        #expect(frames[1]["kind"] as? String == "return_address")
        #expect(frames[1]["lookup_offset"] as? Int == (frames[1]["offset"] as? Int ?? 0) - 1)
        #expect(frames[1]["uuid"] is String)
    }

    @Test(
        "reports in archives, compressed files and folders are shown one by one",
        arguments: [
            ("gzip -c in/a.crash > x", "x"), ("cd in; zip -qr ../x.zip .", "x.zip/a.crash"),
            ("mv in x", "x/a.crash"),
        ])
    func packed(packing: String, name: String) throws {
        try workspace.file("in/a.crash", text: SameFormTests.crash)
        try workspace.file("in/notes.txt", text: "x")
        try TestSupport.shell(packing, in: workspace.folder)
        let path = String(name.prefix { $0 != "/" })
        let run = try workspace.symbolist("inspect", Orchard.absolute(Orchard.app), path)
        #expect(run.status == 0)
        #expect(run.problems == [])
        #expect(run.text.contains("\n\(name)\n  format    .crash text\n"))
        #expect(run.text.contains("\n  found     Orchard "))
    }

    @Test("an image without a UUID is shown")
    func noIdentity() throws {
        let file = try workspace.file(
            "frames.txt", text: "0   Shop   0x0000000104a31f3c Shop + 7996\n")
        let run = try workspace.symbolist("inspect", file)
        #expect(run.status == 0)
        #expect(run.text.contains("\n  no UUID   Shop, 1 frame\n"))
    }

    @Test("a truncated report is shown as far as it can be read")
    func damagedReport() throws {
        let whole = try String(
            contentsOfFile: Orchard.absolute(Orchard.crash), encoding: .utf8)
        let file = try workspace.file("cut.json", text: String(whole.prefix(whole.count * 2 / 3)))
        let run = try workspace.symbolist("inspect", "--for", file, Orchard.absolute(Orchard.kit))
        #expect(run.status == 1)
        #expect(run.problems.contains { $0.hasPrefix("\(file): json+0x") })
        #expect(
            run.text.contains("\n  remark    the input is truncated; the part before is shown\n"))
        #expect(run.text.contains("\n  frames    "))
    }

    @Test("a file that is neither a debug file nor a report is reported with its format")
    func neither() throws {
        let missing = try workspace.symbolist(
            "inspect", "--for", "nosuch", Orchard.absolute(Orchard.kit))
        #expect(missing.status == 1)
        #expect(missing.problems == ["nosuch: no such file: check the path"])
        let notes = try workspace.file("notes.txt", text: "x")
        let line =
            "\(notes): is not a supported report (begins with \"x\"): use a dSYM, "
            + "a debug file, or a crash or hang report"
        let alone = try workspace.symbolist("inspect", notes)
        #expect(alone.status == 3)
        #expect(alone.problems == [line])
        let beside = try workspace.symbolist(
            "inspect", "--for", notes, Orchard.absolute(Orchard.kit))
        #expect(beside.status == 1)
        #expect(beside.problems == [line])
        #expect(beside.text.contains(Orchard.kitID))
        let folder = workspace.folder.path
        let around = try workspace.symbolist(
            "inspect", "--for", folder, Orchard.absolute(Orchard.kit))
        #expect(around.status == 1)
        #expect(
            around.problems == [
                "\(folder): contains no crash or hang report: use a dSYM, a debug file, or a crash or "
                    + "hang report"
            ])
        let map = try workspace.file(
            "\(Orchard.kitID).bcsymbolmap", text: "BCSymbolMap Version: 2.0\n")
        let maps = try workspace.symbolist("inspect", map)
        #expect(maps.status == 3)
        #expect(
            maps.problems == [
                "\(map): contains symbol maps but no debug file: pass the dSYMs of the build too"
            ])
    }

    @Test("--symbols is for reports alone")
    func symbolsBesideFiles() throws {
        let run = try workspace.symbolist(
            "inspect", Orchard.absolute(Orchard.kit), "--symbols", workspace.folder.path)
        #expect(run.status == 2)
        #expect(run.problems.first?.contains("--symbols needs a report") == true)
    }

    @Test("--uuid and --check are for debug files", arguments: ["--uuid", "--check"])
    func flagsOfFiles(flag: String) throws {
        let run = try workspace.symbolist("inspect", Orchard.absolute(Orchard.crash), flag)
        #expect(run.status == 2)
        #expect(run.problems.first?.contains("is a report") == true)
    }

    @Test("--check leaves out object files and split units, which have no index of their own")
    func checkOfSplitUnits() throws {
        let folder = try workspace.symbolist(
            "inspect", "--check", "Symbols/linux-c-split-dwarf5", inProject: true)
        #expect(folder.status == 0)
        #expect(!folder.text.contains("not compared"))
        #expect(folder.text.contains("seeds.debug (x86_64): both readers agree\n"))
        let package = try workspace.symbolist(
            "inspect", "--check", "Symbols/linux-c-split-dwarf5/seeds.debug.dwp", inProject: true)
        #expect(package.status == 0)
        #expect(
            package.text
                == "only object files and split units, which have no index of their own\n")
    }

    @Test("--check names a file that it cannot compare once")
    func checkWithoutIdentity() throws {
        let file = ELFBuilder.library(buildID: nil)
        try workspace.file("plain", Data(file.bytes()))
        let run = try workspace.symbolist("inspect", "--check", "plain")
        #expect(run.status == 1)
        #expect(
            run.text
                == "plain (x86_64): not compared: has no UUID or build ID, so no report can refer to it: "
                + "link it with -Wl,--build-id\n")
    }

    @Test("many slices have a summary line, few do not")
    func sum() throws {
        let all = try workspace.symbolist("inspect", "Symbols", inProject: true)
        let last = try #require(all.text.split(separator: "\n").last)
        #expect(last.contains(" slices: "))
        #expect(last.contains(" resolve functions, lines and inlined calls; "))
        let one = try workspace.symbolist("inspect", Orchard.kit, inProject: true)
        #expect(!one.text.contains("slice"))
    }

    @Test("JSON contains the capability of a slice, and its quality")
    func promise() throws {
        let run = try workspace.symbolist("inspect", Orchard.symbols, "--json", inProject: true)
        let files = try #require(run.object()["files"] as? [[String: Any]])
        let promises = Set(files.map { "\($0["quality"] ?? 0) \($0["will_give"] ?? "")" })
        #expect(
            promises.contains("4 functions, lines and inlined calls"))
        #expect(
            promises.contains {
                $0.hasSuffix("names only: no debug information")
                    || $0.hasSuffix("functions only: no debug information")
            })
    }

    @Test("a file of split units refers to its linked file", arguments: ["dwo", "debug.dwp"])
    func splitOff(ending: String) throws {
        let run = try workspace.symbolist(
            "inspect", "Symbols/linux-c-split-dwarf5/seeds.\(ending)", inProject: true)
        #expect(run.status == 0)
        #expect(
            run.text.contains(
                "  resolves  nothing on its own: its debug information belongs to the file that refers "
                    + "to it\n"
            ))
        #expect(run.text.contains("  contains  split-off units\n"))
    }

    @Test("an unreadable file is one line, and the rest is shown")
    func someFailed() throws {
        let run = try workspace.symbolist("inspect", "nosuch", Orchard.kit, inProject: true)
        #expect(run.status == 1)
        #expect(run.problems == ["nosuch: no such file or folder: check the path"])
        #expect(run.text.contains(Orchard.kitID))
    }

    @Test("with nothing to inspect, the list is empty and the exit code is 3")
    func nothing() throws {
        try workspace.file("folder/notes.txt", text: "x")
        let run = try workspace.symbolist("inspect", "folder", "--json")
        #expect(run.status == 3)
        #expect(try (run.object()["files"] as? [Any])?.isEmpty == true)
        #expect(run.problems.count == 1)
    }
}
