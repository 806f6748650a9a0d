import Foundation
import Glibc
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

    @Test("files come before subfolders, and each group by name")
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
        #expect(!search.files.contains { $0.isNamedByCaller })
    }

    @Test("a file is found once, by whatever ways it is reached")
    func once() throws {
        try folder.write(library(1), to: "a/x")
        try folder.link("a/y", to: "x")
        try FileManager.default.linkItem(atPath: folder.path("a/x"), toPath: folder.path("a/z"))
        #expect(files(search("a", "a/", "a//", "a/y")) == ["a/x"])
        #expect(files(search("a/y", "a")) == ["a/y"])
        #expect(search("a/y", "a").problems.isEmpty)
    }

    @Test("a link to a folder is followed where it is named, and nowhere else")
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

    @Test("folders are entered down to the limit, and deeper ones reported")
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
                "a/\(deepest)d: lies deeper than \(limit) folders: name it with a path of its own"
            ])
    }

    @Test("pipes are not opened")
    func pipes() throws {
        try folder.write(library(1), to: "a/x")
        try #require(unsafe mkfifo(folder.path("a/pipe"), 0o600) == 0)
        #expect(files(search("a")) == ["a/x"])
        #expect(
            problems(search("a/pipe")) == [
                "a/pipe: is neither a file nor a folder: give a dSYM or a debug file"
            ])
    }

    @Test("what archives and the Finder leave behind is passed by")
    func leftovers() throws {
        for name in ["a/x", "a/__MACOSX/x", "a/._x", "a/.DS_Store"] {
            try folder.write(library(1), to: name)
        }
        #expect(files(search("a")) == ["a/x"])
    }

    @Test("a bundle without debug file is reported, and fails nothing")
    func emptyBundles() throws {
        try folder.write(library(1), to: "a/Full.dSYM/Contents/Resources/DWARF/Full")
        try folder.write([1, 2, 3, 4], to: "a/Empty.dSYM/Contents/Info.plist")
        try folder.write([], to: "a/Zero.dSYM")
        try folder.link("a/Gone.dSYM", to: "nosuch")
        let search = search("a")
        #expect(files(search) == ["a/Full.dSYM/Contents/Resources/DWARF/Full"])
        let rest = "bundle holds no debug file: build or download it again"
        #expect(
            problems(search) == [
                "a/Gone.dSYM: \(rest)", "a/Zero.dSYM: \(rest)", "a/Empty.dSYM: \(rest)",
            ])
        #expect(!search.problems.contains { $0.isNamedByCaller })
    }

    @Test("a named folder without debug file is reported, with the archive that may hold them")
    func nothingFound() throws {
        try folder.write([1, 2, 3, 4], to: "a/b/notes")
        #expect(
            problems(search("a")) == [
                "a: holds no debug file: give a dSYM, a debug file, or a folder of them"
            ])
        let zip = try folder.write([0x50, 0x4b, 3, 4, 0], to: "a/b/dSYMs.zip")
        #expect(
            problems(search("a")) == [
                "a: holds no debug file, but an archive: unpack '\(zip)' first"
            ])
    }

    @Test("a named archive, empty or missing file fails with what to do")
    func namedFiles() throws {
        try folder.write([0x50, 0x4b, 3, 4, 0], to: "a.zip")
        try folder.write([0x1f, 0x8b, 8, 0, 0], to: "a.tar.gz")
        try folder.write([], to: "empty")
        let search = search("a.zip", "a.tar.gz", "empty", "nosuch", "empty/x")
        #expect(
            problems(search) == [
                "a.zip: is a zip archive: unpack it and give the folder",
                "a.tar.gz: is a gzip archive: unpack it and give the folder",
                "empty: is empty: build or download it again",
                "nosuch: no such file or folder: give a path that exists",
                "empty/x: no such file or folder: give a path that exists",
            ])
        #expect(search.problems.allSatisfy { $0.isNamedByCaller })
    }
}
