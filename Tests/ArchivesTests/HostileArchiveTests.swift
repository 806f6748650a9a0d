import Archives
import Foundation
import Problems
import TestSupport
import Testing

@Suite("Hostile archives")
struct HostileArchiveTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test(
        "an entry whose name points outside the archive is skipped and reported",
        arguments: [
            "../x", "a/../x", "a/..", "..", "/x", "\\x", "..\\x", "a\\..\\..\\x", "C:\\x", "c:x",
        ])
    func traversal(name: String) throws {
        var zip = ZipBuilder()
        var tar = TarBuilder()
        for name in [name, "good"] {
            zip.add(name, wanted)
            tar.add(name, wanted)
        }
        for bytes in [zip.bytes(), tar.bytes()] {
            let result = try folder.unpack(bytes)
            #expect(result.contents == ["good": wanted])
            // libarchive converts some backslashes itself.
            let problems = result.problems.map { $0.replacing("\\", with: "/") }
            #expect(
                problems == [
                    "archive/\(name.replacing("\\", with: "/")): name points outside the archive: the entry was skipped: "
                        + "pack it with a relative name"
                ])
            #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
        }
    }

    @Test("dots that stay inside the archive are allowed")
    func dots() throws {
        var tar = TarBuilder()
        for name in ["./a", "b//./c", "...", "d..e"] { tar.add(name, wanted) }
        let result = try folder.unpack(tar.bytes())
        #expect(Set(result.contents.keys) == ["a", "b/c", "...", "d..e"])
        #expect(result.problems.isEmpty)
    }

    @Test("links and devices are neither followed nor created")
    func links() throws {
        var tar = TarBuilder()
        tar.add(Array("a".utf8), type: "2", linkTo: "..")
        tar.add("a/x", wanted)
        tar.add(Array("b".utf8), type: "1", linkTo: "/etc/passwd")
        tar.add(Array("b".utf8), wanted)
        tar.add(Array("c".utf8), type: "3")
        tar.add(Array("d".utf8), type: "6")
        try folder.write(tar.bytes(), to: "archive")
        let archive = try folder.unpack("archive")
        #expect(archive.files.map(\.name) == ["a/x", "b"])
        #expect(archive.skipped == [.link: 2, .device: 2])
        #expect(folder.unpackedPaths() == ["out", "out/1", "out/2"])
        #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
    }

    @Test("a link in a zip archive is not followed either")
    func zipLinks() throws {
        var zip = ZipBuilder()
        zip.add(Array("a".utf8), Array("..".utf8), mode: 0o120777)
        zip.add("a/x", wanted)
        #expect(try folder.unpack(zip.bytes()).contents == ["a/x": wanted])
        #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
    }

    @Test(
        "a decompression bomb is rejected, and leaves nothing",
        arguments: ["gzip", "xz", "zstd", "zip"])
    func bombs(tool: String) throws {
        try folder.shell(
            "{ printf wanted; head -c 70000000 /dev/zero; } > x; \(tool) -q \(tool == "zip" ? "x.zip x" : "x")"
        )
        try folder.shell("cat x.* > archive")
        let error = #expect(throws: ArchiveError.self) { try folder.unpack("archive") }
        #expect(error?.reason == .ratioTooHigh(limit: 200))
        #expect(folder.unpackedPaths().isEmpty)
    }

    @Test("an unwanted file can be a decompression bomb, too")
    func unwantedBomb() throws {
        try folder.shell("head -c 70000000 /dev/zero > x; tar -czf archive x")
        let error = #expect(throws: ArchiveError.self) { try folder.unpack("archive") }
        #expect(error?.reason == .ratioTooHigh(limit: 200))
    }

    @Test("a decompression bomb in a nested archive rejects the outermost archive")
    func nestedBomb() throws {
        try folder.write(wanted, to: "good")
        try folder.shell(
            """
            { printf wanted; head -c 1000000 /dev/zero; } > x
            zip -q 1.zip x && zip -q 2.zip 1.zip && zip -q archive.zip good 2.zip
            """)
        var limits = UnpackingLimits()
        limits.ratioFloorBytes = 900_000
        let error = #expect(throws: ArchiveError.self) {
            try folder.unpack("archive.zip", limits: limits)
        }
        #expect(error?.reason == .ratioTooHigh(limit: 200))
        #expect(folder.unpackedPaths().isEmpty)
    }

    @Test("the byte limit applies to all archives together")
    func bytes() throws {
        var inner = ZipBuilder()
        inner.add("x", wanted + [UInt8](repeating: 1, count: 600))
        var outer = ZipBuilder()
        for name in ["a.zip", "b.zip"] { outer.add(name, inner.bytes()) }
        let total = 2 * (inner.bytes().count + wanted.count + 600)
        var limits = UnpackingLimits()
        limits.unpackedBytes = Int64(total)
        #expect(try folder.unpack(outer.bytes(), limits: limits).contents.count == 2)
        limits.unpackedBytes -= 1
        let error = #expect(throws: ArchiveError.self) {
            try folder.unpack(outer.bytes(), limits: limits)
        }
        #expect(error?.reason == .tooManyBytes(limit: limits.unpackedBytes))
        #expect(folder.unpackedPaths().isEmpty)
    }

    @Test("an archive with one entry more than the limit is rejected")
    func counts() throws {
        var limits = UnpackingLimits()
        limits.entryCount = 3
        for count in [3, 4] {
            var zip = ZipBuilder()
            var tar = TarBuilder()
            for number in 0..<count {
                zip.add("\(number)", wanted)
                tar.add("\(number)", wanted)
            }
            for bytes in [zip.bytes(), tar.bytes()] {
                let archive = try? folder.unpack(bytes, limits: limits)
                #expect(archive?.contents.count == (count == 3 ? 3 : nil))
            }
        }
        #expect(folder.unpackedPaths().isEmpty)
    }

    @Test("an encrypted archive is rejected")
    func encrypted() throws {
        try folder.write(wanted, to: "x")
        try folder.shell("zip -qP secret inner.zip x && zip -q outer.zip x inner.zip")
        let error = #expect(throws: ArchiveError.self) { try folder.unpack("inner.zip") }
        #expect(
            error?.description == "inner.zip: is encrypted: use an archive without a password")
        let outer = try folder.unpack("outer.zip")
        #expect(outer.files.map(\.name) == ["x"])
        #expect(
            outer.problems == [ArchiveError("outer.zip/inner.zip", .encrypted)])
    }

    @Test("an entry with a name beyond the limit is skipped")
    func longNames() throws {
        var zip = ZipBuilder()
        let longest = String(repeating: "x", count: 1_024)
        for name in [longest, longest + "x", "y"] { zip.add(name, wanted) }
        let result = try folder.unpack(zip.bytes())
        #expect(Set(result.contents.keys) == [longest, "y"])
        #expect(
            result.problems == [
                "archive/\(longest): name is longer than 1024 bytes, the limit: "
                    + "the entry was skipped: pack it with a shorter name"
            ])
    }

    @Test("an entry with a wrong checksum is not kept")
    func checksums() throws {
        var zip = ZipBuilder()
        zip.add(Array("bad".utf8), wanted, checksum: 1)
        zip.add("good", wanted)
        let result = try folder.unpack(zip.bytes())
        #expect(result.contents == ["good": wanted])
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.hasPrefix("archive/bad: is corrupt (") == true)
    }

    @Test("a folder that exists already is not used")
    func existingFolder() throws {
        try folder.shell("mkdir out && touch out/1")
        try folder.write(ZipBuilder().bytes(), to: "archive")
        let error = #expect(throws: ArchiveError.self) { try folder.unpack("archive") }
        #expect(error?.reason == .unwritable("file exists"))
        #expect(folder.unpackedPaths() == ["out", "out/1"])
    }

    @Test("a file that is not an archive is rejected before anything is created")
    func notAnArchive() throws {
        try folder.write(wanted, to: "x")
        for name in ["x", "nosuch", "."] {
            #expect(throws: ArchiveError.self) { try folder.unpack(name) }
        }
        #expect(folder.unpackedPaths().isEmpty)
    }
}
