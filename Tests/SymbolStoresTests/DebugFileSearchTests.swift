import Foundation
import Glibc
import Problems
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Search for debug files")
struct DebugFileSearchTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func search(_ names: String...) -> DebugFileSearch {
        DebugFileSearch(names.map { folder.path($0) })
    }

    private func files(_ search: DebugFileSearch) -> [String] {
        search.files.map { folder.relative($0.path) }
    }

    private func problems(_ search: DebugFileSearch) -> [String] {
        search.problems.map { folder.relative($0.error.description) }
    }

    @Test("files precede subfolders, each group sorted by name")
    func order() throws {
        for name in ["a/z", "a/b/c", "a/a b,ø/y", "a/m.dSYM/Contents/Resources/DWARF/m"] {
            try folder.write(library(1), to: name)
        }
        try folder.write(Array("no debug file".utf8), to: "a/notes")
        try folder.write([0x7f], to: "a/short")
        let search = search("a")
        #expect(
            files(search) == [
                "a/z", "a/a b,ø/y", "a/b/c", "a/m.dSYM/Contents/Resources/DWARF/m",
            ])
        #expect(search.problems.isEmpty)
        #expect(!search.files.contains { $0.isExplicit })
    }

    @Test("a file reached by several paths is found once")
    func once() throws {
        try folder.write(library(1), to: "a/x")
        try folder.link("a/y", to: "x")
        try FileManager.default.linkItem(atPath: folder.path("a/x"), toPath: folder.path("a/z"))
        #expect(files(search("a", "a/", "a//", "a/y")) == ["a/x"])
        #expect(files(search("a/y", "a")) == ["a/y"])
        #expect(search("a/y", "a").problems.isEmpty)
    }

    @Test("a link to a folder other than a bundle is followed only if it is listed explicitly")
    func links() throws {
        try folder.write(library(1), to: "a/x")
        try folder.write(library(2), to: "b/y")
        try folder.link("a/b", to: "../b")
        try folder.link("a/loop", to: "..")
        try folder.link("a/self", to: "self")
        try folder.link("a/nowhere", to: "nosuch")
        #expect(files(search("a")) == ["a/x"])
        #expect(search("a").problems.isEmpty)
        #expect(files(search("a/b")) == ["a/b/y"])
        #expect(
            problems(search("a/self")) == [
                "a/self: cannot be read: too many levels of symbolic links"
            ])
    }

    @Test("a link to a bundle is followed in a folder too, without endless loops")
    func linkedBundles() throws {
        let file = "Contents/Resources/DWARF/x"
        try folder.write(library(1), to: "b/x.dSYM/\(file)")
        try folder.write([], to: "a/notes")
        try folder.link("a/Shop.dSYM", to: "../b/x.dSYM")
        try folder.link("a/Loop.dSYM", to: ".")
        try folder.link("a/Up.dSYM", to: "..")
        let search = search("a")
        try #require(search.files.count == 1)
        #expect(search.files[0].path.hasSuffix(file))
        #expect(files(self.search("a/Shop.dSYM")) == ["a/Shop.dSYM/\(file)"])
    }

    @Test("folders are searched down to the limit, and deeper ones reported")
    func depth() throws {
        let limit = DebugFileSearch.depthLimit
        let deepest = String(repeating: "d/", count: limit)
        try folder.write(library(1), to: "a/\(deepest)x")
        #expect(files(search("a")) == ["a/\(deepest)x"])
        try folder.write(library(2), to: "a/\(deepest)d/y")
        let search = search("a")
        #expect(files(search) == ["a/\(deepest)x"])
        #expect(
            problems(search) == [
                "a/\(deepest)d: is more than \(limit) folders deep: pass its path too"
            ])
    }

    @Test("pipes are not opened")
    func pipes() throws {
        try folder.write(library(1), to: "a/x")
        try #require(unsafe mkfifo(folder.path("a/pipe"), 0o600) == 0)
        #expect(files(search("a")) == ["a/x"])
        #expect(
            problems(search("a/pipe")) == [
                "a/pipe: is not a file or folder: use a dSYM or a debug file"
            ])
    }

    @Test("metadata files of archives and the Finder are skipped")
    func leftovers() throws {
        for name in ["a/x", "a/__MACOSX/x", "a/._x", "a/.DS_Store"] {
            try folder.write(library(1), to: name)
        }
        #expect(files(search("a")) == ["a/x"])
    }

    @Test("a bundle without a debug file is reported, but not a failure")
    func emptyBundles() throws {
        try folder.write(library(1), to: "a/Full.dSYM/Contents/Resources/DWARF/Full")
        try folder.write([1, 2, 3, 4], to: "a/Empty.dSYM/Contents/Info.plist")
        try folder.write([], to: "a/Zero.dSYM")
        try folder.link("a/Gone.dSYM", to: "nosuch")
        let search = search("a")
        #expect(files(search) == ["a/Full.dSYM/Contents/Resources/DWARF/Full"])
        let rest = "bundle contains no debug file: build or download it again"
        #expect(
            problems(search) == [
                "a/Gone.dSYM: \(rest)", "a/Zero.dSYM: \(rest)", "a/Empty.dSYM: \(rest)",
            ])
        #expect(!search.problems.contains { $0.isExplicit })
    }

    @Test("a listed folder without a debug file is reported, with an archive that may contain some")
    func nothingFound() throws {
        try folder.write([1, 2, 3, 4], to: "a/b/notes")
        #expect(
            problems(search("a")) == [
                "a: contains no debug file: use a dSYM, a debug file, or a folder of them"
            ])
        let zip = try folder.write([0x50, 0x4b, 3, 4, 0], to: "a/b/dSYMs.zip")
        #expect(
            problems(search("a")) == [
                "a: contains no debug file, but an archive: unpack '\(zip)' first"
            ])
    }

    @Test("a listed archive, empty file or missing file fails with a next step")
    func namedFiles() throws {
        try folder.write([0x50, 0x4b, 3, 4, 0], to: "a.zip")
        try folder.write([0x1f, 0x8b, 8, 0, 0], to: "a.tar.gz")
        try folder.write([], to: "empty")
        let search = search("a.zip", "a.tar.gz", "empty", "nosuch", "empty/x")
        #expect(
            problems(search) == [
                "a.zip: is a zip archive: unpack it and pass the folder",
                "a.tar.gz: is a gzip archive: unpack it and pass the folder",
                "empty: is empty: build or download it again",
                "nosuch: no such file or folder: check the path",
                "empty/x: no such file or folder: check the path",
            ])
        #expect(search.problems.allSatisfy { $0.isExplicit })
    }
}
