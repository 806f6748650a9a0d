import CallStacks
import DebugFiles
import Foundation
import Problems
import SymbolIndexes
import TestSupport
import Testing

@testable import SymbolStores

/// Debug files whose functions are in `.dwo` files and packages, of both versions that have them.
@Suite("Split DWARF")
struct SplitFileTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private struct Build: Sendable, CustomTestStringConvertible {
        let version: Int
        let image: ImageID
        /// The load in `seed`, which was inlined into `sow`.
        let offset: ImageOffset

        var testDescription: String { "DWARF \(version)" }

        static let gnu = Build(
            version: 4, image: ImageID("d34d15fa55d343cf8a66c909f046258ba2a765bc")!,
            offset: ImageOffset(0x1170))
        static let standard = Build(
            version: 5, image: ImageID("f9164269e49d6b62c041375329bd87c93248abe9")!,
            offset: ImageOffset(0x176c))
        static let all = [gnu, standard]

        func file(_ name: String) throws -> [UInt8] {
            let symbols = projectFolder.appendingPathComponent(
                "Symbols/linux-c-split-dwarf\(version)")
            return [UInt8](try Data(contentsOf: symbols.appendingPathComponent(name)))
        }
    }

    private static let whole = ["seed", "sow"]
    /// The functions in the symbol table.
    private static let poor = ["sow"]

    private func names(
        _ build: Build, in paths: [String] = ["symbols"], isCached: Bool = false
    ) async -> [String] {
        await folder.names(build.image, at: build.offset, in: paths, isCached: isCached)
    }

    private func write(_ build: Build, _ name: String, to path: String) throws {
        try folder.write(try build.file(name), to: path)
    }

    @Test(
        "a file of split units alone has no index, and the error names what is needed",
        arguments: Build.all)
    private func alone(build: Build) throws {
        for name in ["seeds.dwo", "seeds.debug.dwp"] {
            try write(build, name, to: name)
            let opened = try OpenedDebugFile(path: folder.path(name), architecture: nil)
            let error = #expect(throws: SymbolStoreError.self) {
                try SymbolIndex.bytes(of: opened.file, name: name)
            }
            #expect(
                error?.description
                    == "\(name): has only split units: use it with the file that refers to them")
        }
    }

    @Test("a .dwo file is found by its name in any folder", arguments: Build.all)
    private func objects(build: Build) async throws {
        try write(build, "seeds.debug", to: "symbols/seeds.debug")
        #expect(await names(build) == Self.poor)
        try write(build, "seeds.dwo", to: "symbols/a/b/seeds.dwo")
        #expect(await names(build) == Self.whole)
        #expect(await names(build, in: ["symbols/seeds.debug"]) == Self.poor)
        #expect(await names(build, in: ["symbols/seeds.debug", "symbols/a"]) == Self.whole)
    }

    @Test(
        "a package is found whatever it is called, in whatever folder", arguments: Build.all,
        ["seeds.debug.dwp", "seeds.dwp", "a/other.dwp"])
    private func packages(build: Build, name: String) async throws {
        try write(build, "seeds.debug", to: "symbols/seeds.debug")
        try write(build, "seeds.debug.dwp", to: "symbols/\(name)")
        #expect(await names(build) == Self.whole)
    }

    @Test(
        "the package and .dwo files next to an explicitly listed file are found",
        arguments: Build.all, ["seeds.debug.dwp", "seeds.dwp", "seeds.dwo"])
    private func beside(build: Build, name: String) async throws {
        try write(build, "seeds.debug", to: "symbols/seeds.debug")
        let ending = name.hasSuffix(".dwo") ? "seeds.dwo" : "seeds.debug.dwp"
        try write(build, ending, to: "symbols/\(name)")
        #expect(await names(build, in: ["symbols/seeds.debug"]) == Self.whole)
        let path = folder.path("symbols/seeds.debug")
        let opened = try OpenedDebugFile(path: path, architecture: nil)
        #expect(opened.file.summary().quality == .full)
        let chosen = try ChosenSlice(path: path, architecture: nil)
        #expect(chosen.file.summary().quality == .full)
    }

    /// Returns a file with each of the equally long texts replaced.
    private func replacing(_ text: String, by other: String, in file: [UInt8]) -> [UInt8] {
        var file = file
        for place in file.indices.dropLast(text.utf8.count)
        where file[place...].starts(with: text.utf8) {
            file.replaceSubrange(place..<place + text.utf8.count, with: other.utf8)
        }
        return file
    }

    @Test(
        "the .dwo file of an explicitly listed file is found where the compiler wrote it",
        arguments: Build.all)
    private func recordedPath(build: Build) async throws {
        let recorded = "/Users/ci/orchard/Linux"
        let digits = String(UInt64.random(in: 1 << 60 ... .max), radix: 16).prefix(12)
        let buildFolder = "/tmp/split-\(digits)"
        try #require(buildFolder.utf8.count == recorded.utf8.count)
        try FileManager.default.createDirectory(
            atPath: buildFolder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: buildFolder) }
        try folder.write(
            replacing(recorded, by: buildFolder, in: build.file("seeds.debug")),
            to: "symbols/seeds.debug")
        let path = "symbols/seeds.debug"
        #expect(await names(build, in: [path], isCached: true) == Self.poor)
        let object = Data(try build.file("seeds.dwo"))
        try object.write(to: URL(fileURLWithPath: "\(buildFolder)/seeds.dwo"))
        #expect(await names(build, in: [path], isCached: true) == Self.whole)
        #expect(await names(build) == Self.poor)
    }

    @Test("a relative recorded path is also searched from the file's folder", arguments: Build.all)
    private func movedBuildFolder(build: Build) async throws {
        try folder.write(
            replacing("seeds.dwo", by: "o/see.dwo", in: build.file("seeds.debug")),
            to: "symbols/seeds.debug")
        try write(build, "seeds.dwo", to: "symbols/o/see.dwo")
        #expect(await names(build, in: ["symbols/seeds.debug"]) == Self.whole)
    }

    @Test(
        "an image whose .dwo file was not found is recorded once it was used", arguments: Build.all)
    private func lackingFiles(build: Build) async throws {
        try write(build, "seeds.debug", to: "symbols/seeds.debug")
        let symbols = LocalSymbolProvider(
            SymbolInventory(paths: [folder.path("symbols/seeds.debug")]), cachedIn: nil)
        #expect(await symbols.imagesLackingFiles == [:])
        for _ in 1...2 { #expect(await symbols.names(build.image, at: build.offset) == Self.poor) }
        #expect(await symbols.imagesLackingFiles == [.splitDwarfMissing: ["seeds.debug"]])
    }

    @Test("the split units in an object file are found in a folder", arguments: Build.all)
    private func objectFiles(build: Build) async throws {
        try folder.write(
            replacing("seeds.dwo", by: "./seeds.o", in: build.file("seeds.debug")),
            to: "symbols/seeds.debug")
        // An unused section serves as the debug information of the object file itself.
        let unused = build.version == 4 ? ".debug_loc.dwo" : ".debug_loclists.dwo"
        let own = ".debug_info"
        let padding = String(repeating: "\0", count: unused.utf8.count - own.utf8.count)
        try folder.write(
            replacing(unused, by: own + padding, in: build.file("seeds.dwo")),
            to: "symbols/o/seeds.o")
        #expect(await names(build) == Self.whole)
        #expect(inspected().first { $0.file.id == build.image }?.summary.quality == .full)
    }

    @Test("of several .dwo files with one name, the one with the right id is used")
    func namesakes() async throws {
        for build in Build.all {
            try write(build, "seeds.debug", to: "symbols/\(build.version)/seeds.debug")
            // Each is at the location where the other one would be searched first.
            try write(build, "seeds.dwo", to: "symbols/\(9 - build.version)/seeds.dwo")
        }
        for build in Build.all { #expect(await names(build) == Self.whole) }
    }

    @Test("a .dwo file of another build is not used, but reported")
    func otherBuild() async throws {
        try write(.gnu, "seeds.debug", to: "symbols/seeds.debug")
        try write(.standard, "seeds.dwo", to: "symbols/seeds.dwo")
        #expect(await names(.gnu) == Self.poor)
        let slice = try #require(inspected().first { $0.file.id == Build.gnu.image })
        #expect(slice.summary.quality == .lines)
        #expect(
            slice.summary.warnings.map(\.description) == [
                "split-dwarf-missing: 'seeds.dwo' is of another build",
                "split-dwarf-missing: functions and inlined calls of 1 of 1 units are in .dwo "
                    + "files: add them or the .dwp",
            ])
    }

    @Test("adding or removing a file changes the result", arguments: Build.all)
    private func later(build: Build) async throws {
        try write(build, "seeds.debug", to: "symbols/seeds.debug")
        #expect(await names(build, isCached: true) == Self.poor)
        for name in ["seeds.debug.dwp", "seeds.dwo"] {
            try write(build, name, to: "symbols/\(name)")
            #expect(await names(build, isCached: true) == Self.whole)
            #expect(await names(build, isCached: true) == Self.whole)
            try FileManager.default.removeItem(atPath: folder.path("symbols/\(name)"))
            #expect(await names(build, isCached: true) == Self.poor)
        }
        // One without, one with the package, one with the .dwo file.
        #expect(folder.names(in: "cache").filter { $0.hasSuffix(".symidx") }.count == 3)
    }

    @Test("cached findings include which files have split units", arguments: Build.all)
    private func remembered(build: Build) async throws {
        for name in ["seeds.debug", "seeds.dwo"] { try write(build, name, to: "symbols/\(name)") }
        // Its clock is ahead, so that files just written count as settled.
        let inventories = FileHeaderCacheFolder(path: folder.path("inventories"), smallestCount: 1)
        {
            Int64(Date().timeIntervalSince1970) + 10
        }
        for _ in 1...2 {
            let inventory = SymbolInventory(
                paths: [folder.path("symbols")], rememberedIn: inventories)
            let symbols = LocalSymbolProvider(inventory, cachedIn: nil)
            #expect(await symbols.names(build.image, at: build.offset) == Self.whole)
        }
        #expect(folder.names(in: "inventories").count == 1)
    }

    @Test("a package and .dwo files result in the same index", arguments: Build.all)
    private func sameIndex(build: Build) throws {
        let indexes = try ["seeds.debug.dwp", "seeds.dwo"].map { name in
            try write(build, "seeds.debug", to: "\(name)/seeds.debug")
            try write(build, name, to: "\(name)/\(name)")
            let opened = try OpenedDebugFile(
                path: folder.path("\(name)/seeds.debug"), architecture: nil)
            #expect(try IndexComparison(on: opened.file, name: name).isUnanimous)
            return try SymbolIndex.bytes(of: opened.file, name: name)
        }
        #expect(indexes[0] == indexes[1])
    }

    @Test("a folder with all split units has no warning", arguments: Build.all)
    private func inspection(build: Build) throws {
        for name in ["seeds.debug", "seeds.dwo", "seeds.debug.dwp"] {
            try write(build, name, to: "symbols/\(name)")
        }
        let slices = inspected()
        #expect(slices.map { $0.summary.quality } == [.full, .nothing, .nothing])
        #expect(
            slices.map { $0.summary.warnings.map(\.code) } == [[], [.noIdentity], [.noIdentity]])
        try #require(slices.map(\.file.splitUnits) == [nil, .package, .object])
        #expect(slices[0].summary.hasInlines && slices[0].summary.libdwarfReason == nil)
    }

    private func inspected() -> [DebugFileInspection.Slice] {
        DebugFileInspection(paths: [folder.path("symbols")]).slices
    }

    @Test("no more files are opened than the limit")
    func openLimit() throws {
        try write(.gnu, "seeds.debug", to: "seeds.debug")
        // They are searched in this order, and the first one has the unit of another build.
        try write(.standard, "seeds.dwo", to: "a/seeds.dwo")
        try write(.gnu, "seeds.dwo", to: "b/seeds.dwo")
        var found = SplitFileInventory()
        for name in ["a/seeds.dwo", "b/seeds.dwo"] {
            found.add(.init(path: folder.path(name), name: name), .object)
        }
        let file = try OpenedDebugFile(path: folder.path("seeds.debug"), architecture: nil).file
        for (limit, count) in [(2, 1), (1, 0)] {
            let joined = JoinedDebugFile(
                file, at: "seeds.debug", with: found, supplements: [], isExplicit: false,
                openLimit: limit)
            #expect(joined.parts.count == count)
        }
    }

    @Test("a damaged package loses only its units, and is named")
    func damaged() async throws {
        try write(.gnu, "seeds.debug", to: "symbols/seeds.debug")
        let package = try Build.gnu.file("seeds.debug.dwp")
        let place = try #require(
            package.indices.first { package[$0...].starts(with: [2, 0, 0, 0, 5, 0, 0, 0]) })
        try folder.write(
            package[..<place] + [9] + package[(place + 1)...], to: "symbols/seeds.debug.dwp")
        #expect(await names(.gnu) == Self.poor)
        let slice = try #require(inspected().first)
        #expect(
            slice.summary.warnings.map(\.description).first
                == "malformed: seeds.debug.dwp: .debug_cu_index+0x0: unsupported package "
                + "index version 9 (supported: 2 and 5)")
    }
}

extension DebugFileWarning {
    fileprivate var description: String { "\(code.rawValue): \(text)" }
}
