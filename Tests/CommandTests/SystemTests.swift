import CallStacks
import Foundation
import TestSupport
import Testing

/// Symbols of Apple's own images, from a generated shared cache.
@Suite("System symbols on the command line", .ownThreads)
struct SystemTests {
    let workspace: Workspace
    private static let view = "A1A1A1A1-A1A1-A1A1-A1A1-A1A1A1A1A1A1"
    private static let alpha = "A2A2A2A2-A2A2-A2A2-A2A2-A2A2A2A2A2A2"
    private let cache: String

    init() throws {
        workspace = try Workspace()
        for file in SharedCacheBuilder(.iOS26).files() {
            try workspace.file("Support/\(file.name)", Data(file.bytes))
        }
        cache = "Support/dyld_shared_cache_arm64e"
    }

    @Test("inspect describes a cache, and lists its images in JSON")
    func inspect() throws {
        let run = try workspace.symbolist("inspect", cache)
        #expect(run.status == 0)
        #expect(run.problems.isEmpty)
        for line in [
            "arch      arm64e", "system    ios 26.1 arm64e", "images    4", "files     5",
            "contains  exported symbols, 9 local symbols", "resolves  function names",
        ] {
            #expect(run.text.contains(line), "\(line)")
        }
        let caches = try #require(
            try workspace.symbolist("inspect", "--json", "Support").object()["caches"]
                as? [[String: Any]])
        try #require(caches.count == 1)
        #expect(caches[0]["quality"] as? Int == 2)
        #expect((caches[0]["images"] as? [[String: Any]])?.count == 4)
        let lines = try workspace.symbolist("inspect", "--uuid", cache).text.split(separator: "\n")
        try #require(lines.count == 4)
        #expect(lines[0].hasPrefix("UUID: \(Self.view) (arm64e) "))
    }

    @Test("inspect and system add name the system of the folder")
    func folderName() throws {
        let folder = "iOS DeviceSupport/iPhone17,1 26.1 (23B85)/Symbols"
        for file in SharedCacheBuilder(.iOS26).files() {
            try workspace.file("\(folder)/\(file.name)", Data(file.bytes))
        }
        let shown = try workspace.symbolist("inspect", folder)
        #expect(shown.text.contains("system    iPhone OS 26.1 (23B85) arm64e\n"))
        let added = try workspace.symbolist("system", "add", folder, "-o", "added")
        #expect(added.text.hasPrefix("iPhone OS 26.1 (23B85) arm64e, 4 images: 4 added ("))
    }

    @Test("inspect says that a cache is a simulator's")
    func simulator() throws {
        for file in SharedCacheBuilder(.iOS26).files() {
            var bytes = file.bytes
            // Bit 9 of the flags.
            if file.name == "dyld_shared_cache_arm64e" { bytes[0xdd] |= 2 }
            try workspace.file("Simulator/\(file.name)", Data(bytes))
        }
        let run = try workspace.symbolist("inspect", "Simulator")
        #expect(run.status == 0)
        #expect(run.text.contains("system    ios simulator 26.1 arm64e\n"))
    }

    @Test("control characters in the names of images are not printed")
    func controlCharacters() throws {
        let library = CachedLibrary(
            "/usr/lib/a\u{1b}[2J\nb.dylib", number: 0xb1,
            symbols: [.init("_beta", at: 0x400, .exported)], starts: [0x400])
        for file in SharedCacheBuilder(.iOS26, [library]).files() {
            try workspace.file("Hostile/\(file.name)", Data(file.bytes))
        }
        let id = "B1B1B1B1-B1B1-B1B1-B1B1-B1B1B1B1B1B1"
        for arguments in [
            ["system", "add", "Hostile", "--image", id], ["system", "list"],
            ["inspect", "--uuid", "Hostile"],
        ] {
            let run = try workspace.run(
                executable.path, arguments, input: "", environment: workspace.environment(),
                in: workspace.folder)
            #expect(run.status == 0)
            #expect(run.text.contains(id))
            #expect(run.text.contains(" b.dylib"))
            #expect(!run.text.contains("\u{1b}"))
        }
    }

    @Test("control characters in the path of a cache are not printed")
    func hostileFolder() throws {
        let library = CachedLibrary(
            "/usr/lib/b.dylib", number: 0xb1, symbols: [.init("_beta", at: 0x400, .exported)],
            starts: [0x400])
        for file in SharedCacheBuilder(.iOS26, [library]).files() {
            try workspace.file("Host\u{1b}[2Jile/\(file.name)", Data(file.bytes))
        }
        let run = try workspace.symbolist("inspect", "Host\u{1b}[2Jile")
        #expect(run.text.contains("Host\u{fffd}[2Jile"))
        #expect(!run.text.contains("\u{1b}"))
    }

    @Test("inspect warns about a missing symbols file, and about a single part")
    func incomplete() throws {
        try FileManager.default.removeItem(
            atPath: workspace.folder.appendingPathComponent("\(cache).symbols").path)
        let run = try workspace.symbolist("inspect", cache)
        #expect(run.status == 0)
        #expect(
            run.text.contains(
                "symbols-file-missing: copy dyld_shared_cache_arm64e.symbols as well"))
        try FileManager.default.removeItem(
            atPath: workspace.folder.appendingPathComponent(cache).path)
        let part = try workspace.symbolist("inspect", "\(cache).01")
        #expect(part.status == 1)
        #expect(part.problems == ["\(cache).01: is part of a cache: give the folder"])
    }

    @Test("without link-edit data nothing is resolved, and the missing file is reported once")
    func withoutLinkEdit() throws {
        let part = "\(cache).03.dyldlinkedit"
        try FileManager.default.removeItem(
            at: workspace.folder.appendingPathComponent(part))
        let line =
            "\(cache): subcache-missing: copy dyld_shared_cache_arm64e.03.dyldlinkedit as well"
        let inspect = try workspace.symbolist("inspect", cache)
        #expect(inspect.text.contains("resolves  nothing"))
        let add = try workspace.symbolist("system", "add", "Support", "-o", "new")
        #expect(add.status == 3)
        #expect(add.problems == [line])
        #expect(add.text.contains("4 images: 0 added"))
        #expect(add.text.contains(", 4 skipped (files are missing)"))
        let lookup = try workspace.symbolist("lookup", "--symbols", "Support", Self.view, "0x424")
        #expect(lookup.status == 3)
        #expect(lookup.problems.filter { $0 == line }.count == 1)
        #expect(!lookup.text.contains("damaged"))
    }

    @Test(
        "lookup answers from a cache, a file of it, and its folder", arguments: ["", ".01", "/.."])
    func lookup(ending: String) throws {
        let path = ending == "/.." ? "Support" : cache + ending
        let run = try workspace.symbolist("lookup", "--symbols", path, Self.view, "0x424")
        #expect(run.text.contains("-[Window layout] + 4"))
        #expect(run.status == 0)
        #expect(run.problems.isEmpty)
        let json = try workspace.symbolist(
            "lookup", "--json", "--symbols", path, Self.view, "0x424")
        #expect(json.text.contains("\"in_app\":false"))
        let unnamed = try workspace.symbolist("lookup", "--symbols", path, Self.view, "0x484")
        #expect(!unnamed.text.contains("helper"))
    }

    @Test("atos resolves unslid addresses of a cache, and offsets in one of its images")
    func atos() throws {
        let base = SharedCacheBuilder(.iOS26).address(of: 0)
        let address = "0x" + String(base + 0x424, radix: 16)
        let whole = try workspace.symbolist("atos", "-o", cache, address)
        #expect(whole.text == "-[Window layout] (in ViewKit) + 4\n")
        let one = try workspace.symbolist(
            "atos", "-o", Self.view, "--symbols", "Support", "-offset", "0x424")
        #expect(one.text == "-[Window layout] (in ViewKit) + 4\n")
        let loaded = try workspace.symbolist("atos", "-o", cache, "-l", "0x1000", "0x1424")
        #expect(loaded.status == 2)
    }

    @Test(
        "atos takes any file of a cache, its folder, and a folder of DeviceSupport",
        arguments: ["", ".01", ".symbols", "/..", "device"])
    func atosPlaces(ending: String) throws {
        var path = ending == "/.." ? "Support" : cache + ending
        if ending == "device" {
            path = "iOS DeviceSupport/iPhone17,1 26.1 (23B85)"
            let folder = "\(path)/Symbols/System/Library/Caches/com.apple.dyld"
            for file in SharedCacheBuilder(.iOS26).files() {
                try workspace.file("\(folder)/\(file.name)", Data(file.bytes))
            }
            // An extracted file beside the cache.
            let dylib = CachedLibrary.examples[0].dylib.bytes()
            try workspace.file("\(path)/Symbols/ViewKit", Data(dylib))
        }
        let address = "0x" + String(SharedCacheBuilder(.iOS26).address(of: 0) + 0x424, radix: 16)
        let run = try workspace.symbolist("atos", "-o", path, address)
        #expect(run.text == "-[Window layout] (in ViewKit) + 4\n")
        #expect(run.problems.isEmpty)
        #expect(run.status == 0)
    }

    @Test("atos in a folder of several caches selects one by path or architecture")
    func atosSeveralCaches() throws {
        for file in SharedCacheBuilder(.iOS26).files() {
            try workspace.file("Caches/a/\(file.name)", Data(file.bytes))
            try workspace.file("Caches/b/\(file.name)", Data(file.bytes))
        }
        let address = "0x" + String(SharedCacheBuilder(.iOS26).address(of: 0) + 0x424, radix: 16)
        let several = try workspace.symbolist("atos", "-o", "Caches", address)
        #expect(several.status == 1)
        #expect(
            several.problems == [
                "atos cannot load symbols for the file Caches.",
                "Caches: contains 2 shared caches: use one of them, such as "
                    + "'Caches/a/dyld_shared_cache_arm64e', or select one with --arch",
            ])
        for architecture in ["arm64", "arm64e"] {
            let one = try workspace.symbolist(
                "atos", "-arch", architecture, "-o", "Caches/a", address)
            #expect(one.text == "-[Window layout] (in ViewKit) + 4\n")
        }
        let other = try workspace.symbolist("atos", "-arch", "x86_64", "-o", "Caches/a", address)
        #expect(other.status == 1)
        #expect(
            other.problems == [
                "atos cannot load symbols for the file Caches/a for architecture x86_64.",
                "Caches/a: no shared cache for 'x86_64' (caches: arm64e): "
                    + "select another with --arch",
            ])
    }

    @Test("atos warns about a missing file of a cache")
    func atosIncomplete() throws {
        try FileManager.default.removeItem(
            at: workspace.folder.appendingPathComponent("\(cache).symbols"))
        let address = "0x" + String(SharedCacheBuilder(.iOS26).address(of: 0) + 0x404, radix: 16)
        let run = try workspace.symbolist("atos", "-o", "Support", address)
        #expect(run.text == "draw (in ViewKit) + 4\n")
        #expect(
            run.problems == [
                "\(cache): symbols-file-missing: copy dyld_shared_cache_arm64e.symbols as well"
            ])
    }

    @Test("system add keeps images, and other commands use them without an option")
    func add() throws {
        let run = try workspace.symbolist("system", "add", "Support", "--image", "ViewKit")
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("added    ViewKit  arm64e  \(Self.view)  5 functions  "))
        #expect(run.text.contains("ios 26.1 arm64e, 4 images: 1 added ("))
        let list = try workspace.symbolist("system", "list")
        #expect(
            list.text == "\(Self.view)  arm64e  "
                + "/System/Library/PrivateFrameworks/ViewKit.framework/ViewKit\n")
        let json = try workspace.symbolist("system", "list", "--json").object()
        let images = try #require(json["images"] as? [[String: Any]])
        #expect(images.map { $0["uuid"] as? String } == [Self.view])
        #expect(images.map { $0["complete"] as? Bool } == [true])
        try FileManager.default.removeItem(
            at: workspace.folder.appendingPathComponent("Support"))
        let lookup = try workspace.symbolist("lookup", Self.view, "0x424")
        #expect(lookup.text.contains("-[Window layout] + 4"))
        #expect(lookup.status == 0)
    }

    @Test("system add names a system once if a folder has two of its caches")
    func systemOfTwoCaches() throws {
        for file in SharedCacheBuilder(.iOS26).files() {
            try workspace.file("Support/Copy/\(file.name)", Data(file.bytes))
        }
        let run = try workspace.symbolist("system", "add", "Support", "-o", "added")
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("ios 26.1 arm64e, 4 images: 4 added ("))
    }

    @Test("an archive of a cache is refused with the command that takes its folder")
    func packedCache() throws {
        var zip = ZipBuilder()
        for file in SharedCacheBuilder(.iOS26).files() {
            zip.add(Array(file.name.utf8), file.bytes)
        }
        try workspace.file("cache.zip", Data(zip.bytes()))
        let problem = "cache.zip: is a zip archive: unpack it, then run: symbolist"
        let added = try workspace.symbolist("system", "add", "cache.zip")
        #expect(added.status == 1)
        #expect(added.problems == ["\(problem) system add FOLDER"])
        let sent = try workspace.symbolist(
            "upload", "--system", "cache.zip", "--server", "http://127.0.0.1:1")
        #expect(sent.status == 1)
        #expect(sent.problems == ["\(problem) upload --system FOLDER"])
    }

    @Test("system add stores all images or those of a report, and reports missing ones")
    func choice() throws {
        let all = try workspace.symbolist("system", "add", cache, "-o", "all")
        #expect(all.text.contains("4 images: 4 added"))
        #expect(
            try workspace.symbolist("lookup", "--symbols", "all", Self.alpha, "0x434").status == 0)
        let atos = try workspace.symbolist(
            "atos", "-o", "all/\(Self.view).macho", "-offset", "0x424")
        #expect(atos.text == "-[Window layout] (in ViewKit) + 4\n")
        try workspace.copy("Fixtures/Caches/crash.json", to: "crash.json")
        let some = try workspace.symbolist(
            "system", "add", cache, "--for", "crash.json", "-o", "some")
        #expect(some.status == 0)
        #expect(some.text.contains("4 images: 1 added"))
        #expect(some.text.contains("absent   UIKitCore  "))
        let none = try workspace.symbolist(
            "system", "add", cache, "--image", "Nothing", "-o", "none")
        #expect(none.status == 3)
        #expect(none.text.hasPrefix("absent   Nothing"))
    }

    @Test("a report's system frames get names, and its title stays")
    func symbolicate() throws {
        try workspace.copy("Fixtures/Caches/crash.json", to: "crash.json")
        let raw = try workspace.symbolist("symbolicate", "crash.json", "--format", "json").object()
        let named = try workspace.symbolist(
            "symbolicate", "crash.json", "--format", "json", "--symbols", "Support"
        ).object()
        for key in ["status", "culprit", "fingerprint", "title"] {
            #expect("\(raw[key] ?? "")" == "\(named[key] ?? "")", "\(key)")
        }
        let text = try workspace.symbolist("symbolicate", "crash.json", "--symbols", "Support").text
        #expect(text.contains("-[Window layout] + 4"))
    }

    @Test(
        "firmware is refused with the command to extract it, and nothing is unpacked",
        arguments: ["zip", "aea", "dmg", "apfs"])
    func firmware(kind: String) throws {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        switch kind {
        case "zip":
            var zip = ZipBuilder()
            zip.add(Array("Firmware/a.dylib".utf8), [0xcf, 0xfa, 0xed, 0xfe])
            zip.add(Array("BuildManifest.plist".utf8), [1])
            bytes = zip.bytes()
        case "aea": bytes.replaceSubrange(0..<4, with: "AEA1".utf8)
        case "dmg": bytes.replaceSubrange(512..<516, with: "koly".utf8)
        default: bytes.replaceSubrange(32..<36, with: "NXSB".utf8)
        }
        try workspace.file("iPhone17,1_26.1_23B85_Restore.ipsw", Data(bytes))
        let name = "iPhone17,1_26.1_23B85_Restore.ipsw"
        let line =
            "\(name): is firmware: run: ipsw extract --dyld --dyld-arch arm64e \(name), "
            + "and give the folder that it makes"
        for arguments in [["inspect", name], ["system", "add", name]] {
            let run = try workspace.run(
                executable.path, arguments, input: "", environment: workspace.environment(),
                in: workspace.folder)
            #expect(run.problems.first == line)
            #expect(run.status == 1 || arguments[0] == "system")
            #expect(run.status != 0)
        }
        #expect(!FileManager.default.fileExists(atPath: workspace.cache.path + "/archives"))
    }

    @Test(
        "symbols replace has no options of system images, and none that it implies",
        arguments: ["--system", "--missing", "--all", "--image", "--os", "--force"])
    func replaceOptions(option: String) throws {
        let run = try workspace.symbolist(
            "symbols", "replace", "Support", option, "--server", "http://127.0.0.1:1")
        #expect(run.status == 2)
        // The parser may suggest another option after this.
        let problem = "symbolist symbols replace: unknown option '\(option)'"
        #expect(run.problems.count == 1)
        #expect(run.problems.first?.hasPrefix(problem) == true)
    }

    @Test("upload of a cache for a build suggests --system")
    func uploadForBuild() throws {
        let run = try workspace.symbolist(
            "upload", "Support", "--app", "com.example.orchard", "--version", "1", "--build", "1",
            "--server", "http://127.0.0.1:1")
        #expect(run.status == 3)
        #expect(
            run.problems == ["\(cache): is a shared cache: use 'symbolist upload --system'"])
    }

    @Test("a cache without images is reported")
    func emptyCache() throws {
        for file in SharedCacheBuilder(.iOS26).files() {
            var bytes = file.bytes
            if file.name == "dyld_shared_cache_arm64e" {
                // The counts of both tables of images.
                for place in [0x90, 0x1c4] {
                    bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
                }
            }
            try workspace.file("Empty/\(file.name)", Data(bytes))
        }
        let problems = [
            "Empty/dyld_shared_cache_arm64e: has no readable image: copy the cache again"
        ]
        let added = try workspace.symbolist("system", "add", "Empty", "-o", "added")
        #expect(added.status == 3)
        #expect(added.problems == problems)
        let sent = try workspace.symbolist(
            "upload", "--system", "Empty", "--server", "http://127.0.0.1:1")
        #expect(sent.status == 3)
        #expect(sent.problems == problems)
    }
}
