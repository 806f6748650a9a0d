import CallStacks
import DebugFiles
import Foundation
import IndexSupport
import SymbolIndexes
import TestSupport
import Testing

@testable import SymbolStores

/// Debug files that share debug information in a supplementary file of `dwz`.
@Suite("Supplementary files of dwz")
struct SupplementTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private struct Build: Sendable, CustomTestStringConvertible {
        let version: Int
        /// The identity of `pick.debug`.
        let image: ImageID

        var testDescription: String { "DWARF \(version)" }

        static let all = [
            Build(version: 4, image: ImageID("ae42959359c2993233396b52f044da2752254a1a")!),
            Build(version: 5, image: ImageID("165e42727066a7d108300821a9e3aef54e537a11")!),
        ]

        func file(_ name: String) throws -> [UInt8] {
            let build = projectFolder.appendingPathComponent("Fixtures/Dwz/dwarf\(version)")
            return [UInt8](try Data(contentsOf: build.appendingPathComponent(name)))
        }
    }

    /// The addition in `add_fruit`, which was inlined twice.
    private static let offset = ImageOffset(0x1040)
    private static let whole = ["add_fruit", "fill_tray", "pick.cold"]
    /// Only the call stack's own function has a symbol.
    private static let poor = ["?", "?", "pick.cold"]

    private func names(
        _ build: Build, in paths: [String] = ["symbols"], isCached: Bool = false
    ) async -> [String] {
        await folder.names(build.image, at: Self.offset, in: paths, isCached: isCached)
    }

    private func write(_ build: Build, _ name: String, to path: String) throws {
        try folder.write(try build.file(name), to: path)
    }

    @Test("a supplementary file is found by its build ID in any folder", arguments: Build.all)
    private func byIdentity(build: Build) async throws {
        try write(build, "pick.debug", to: "symbols/pick.debug")
        #expect(await names(build, isCached: true) == Self.poor)
        try write(build, ".dwz/tray", to: "symbols/a/b/renamed")
        #expect(await names(build, isCached: true) == Self.whole)
        #expect(await names(build, in: ["symbols/pick.debug"]) == Self.poor)
        #expect(await names(build, in: ["symbols/pick.debug", "symbols/a"]) == Self.whole)
    }

    @Test(
        "the supplementary file of an explicitly listed file is found where it was written",
        arguments: Build.all, [".dwz/tray", "tray"])
    private func recordedPath(build: Build, name: String) async throws {
        try write(build, "pick.debug", to: "symbols/pick.debug")
        try write(build, ".dwz/tray", to: "symbols/\(name)")
        try folder.link("linked.debug", to: "symbols/pick.debug")
        for path in ["symbols/pick.debug", "linked.debug"] {
            #expect(await names(build, in: [path]) == Self.whole)
            let opened = try OpenedDebugFile(path: folder.path(path), architecture: nil)
            #expect(opened.file.summary().quality == .full)
            let inspection = DebugFileInspection(paths: [folder.path(path)])
            #expect(inspection.slices.flatMap(\.warnings) == [])
        }
    }

    @Test("a supplementary file of another build is not used, with a warning")
    func otherBuild() async throws {
        let (build, other) = (Build.all[0], Build.all[1])
        try write(build, "pick.debug", to: "symbols/pick.debug")
        try write(other, ".dwz/tray", to: "symbols/.dwz/tray")
        #expect(await names(build, in: ["symbols/pick.debug", "symbols"]) == Self.poor)
        let inspection = DebugFileInspection(paths: [folder.path("symbols/pick.debug")])
        #expect(
            inspection.slices.flatMap(\.warnings).map(\.line) == [
                "dwz-alternate-missing: names are in '.dwz/tray' "
                    + "2b023e89ac6b3d3389d3a648adb7cc9ff841d8f2",
                "dwz-alternate-missing: .dwz/tray: is of another build",
            ])
        #expect(inspection.slices.first?.summary.quality == .lines)
    }

    @Test("a file is its supplement by its build ID alone, and resolves nothing itself")
    func alone() throws {
        try write(Build.all[1], ".dwz/tray", to: "tray")
        let slice = try #require(DebugFileInspection(paths: [folder.path("tray")]).slices.first)
        #expect(slice.file.kind == .elfSupplement)
        #expect(slice.file.id?.hex == "f19d8bd1a91ea050e9769d0614f5ede25f89b4b8")
        #expect(slice.summary.quality == .nothing)
    }

    @Test("an excerpt has the names of the supplementary file", arguments: Build.all)
    private func excerpt(build: Build) throws {
        let bytes = try build.file("pick.debug")
        try folder.write(bytes, to: "pick.debug")
        try write(build, ".dwz/tray", to: ".dwz/tray")
        let path = folder.path("pick.debug")
        let file = try #require(
            try DebugFile.slices(of: MappedFile.bytes(of: path), name: path).files.first)
        let offset = Self.offset
        #expect(SymbolIndex(excerptOf: file, at: [offset], name: path) == nil)
        let joined = JoinedSupplement(file, at: path, among: [], isExplicit: true)
        let index = try #require(SymbolIndex(excerptOf: joined.file, at: [offset], name: path))
        #expect(try index.frames(at: offset)?.frames.map(\.function) == Self.whole)
    }
}
