import CallStacks
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Folders of source files")
struct SourceFoldersTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func line(_ path: String, _ name: String, below root: String = "src") throws -> String?
    {
        let folders = try SourceFolders([folder.path(root)])
        return folders.text(of: SourceFile(folder: path, name: name))?
            .lines(around: 1, margin: 0)?.texts.first
    }

    private func write(_ text: String, to path: String) throws {
        try folder.write(Array(text.utf8), to: path)
    }

    @Test("a file is found by the longest suffix of its path")
    func longestEnd() throws {
        try write("short\n", to: "src/Total.swift")
        #expect(try line("/Users/ci/shop/Cart", "Total.swift") == "short")
        try write("long\n", to: "src/Cart/Total.swift")
        #expect(try line("/Users/ci/shop/Cart", "Total.swift") == "long")
        #expect(try line("C:\\shop\\Cart", "Total.swift") == "long")
        #expect(try line("/Users/ci/./shop/Kit/../Cart", "Total.swift") == "long")
        #expect(try line("/Users/ci/shop", "Other.swift") == nil)
    }

    @Test("no file outside the folder is opened, by a path or a link")
    func escapes() throws {
        try write("secret\n", to: "secret.swift")
        try write("x\n", to: "src/x.swift")
        #expect(try line("..", "secret.swift") == nil)
        #expect(try line("/a/../..", "secret.swift") == nil)
        #expect(try line("a", "../../secret.swift") == nil)
        #expect(try line(folder.path(""), "secret.swift") == nil)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("src/link.swift"), withDestinationPath: "../secret.swift")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("src/up"), withDestinationPath: "..")
        #expect(try line("", "link.swift") == nil)
        #expect(try line("up", "secret.swift") == nil)
        #expect(try line("", "x.swift\0") == nil)
        #expect(try line("", "") == nil)
    }

    @Test("folders and too large files are not read")
    func unreadable() throws {
        try write(String(repeating: "x", count: Int(SourceFolders.byteLimit)), to: "src/full")
        #expect(try line("", "full") != nil)
        try write(String(repeating: "x", count: Int(SourceFolders.byteLimit) + 1), to: "src/over")
        #expect(try line("", "over") == nil)
        try #require(unsafe mkfifo(folder.path("src/pipe"), 0o600) == 0)
        #expect(try line("", "pipe") == nil)
        #expect(throws: SymbolStoreError.self) { try SourceFolders([folder.path("nosuch")]) }
        #expect(throws: SymbolStoreError.self) { try SourceFolders([folder.path("src/full")]) }
    }

    @Test(
        "lines are returned with the existing lines around them",
        arguments: [
            (1, 1, ["a", "b", "c"]), (2, 1, ["a", "b", "c", "d"]), (4, 2, ["b", "c", "d"]),
            (5, nil, []), (0, nil, []), (.max, nil, []),
        ] as [(UInt32, UInt32?, [String])])
    func lines(number: UInt32, first: UInt32?, texts: [String]) {
        let lines = SourceText(Array("a\r\nb\nc\nd".utf8)).lines(around: number, margin: 2)
        #expect(lines?.first == first)
        #expect(lines?.texts ?? [] == texts)
    }
}
