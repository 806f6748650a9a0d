import Archives
import Foundation
import Problems
import TestSupport
import Testing

@Suite("Unpacking")
struct UnpackingTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private static let build = "orchard-1.4.0-arm64-release-dwarf4"
    private static let app = "Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"
    private static let kit = "OrchardKit.framework.dSYM/Contents/Resources/DWARF/OrchardKit"

    private func original(_ name: String) throws -> [UInt8] {
        let file = projectFolder.appendingPathComponent("Symbols/\(Self.build)/\(name)")
        return Array(try Data(contentsOf: file))
    }

    @Test(
        "every kind of archive yields its debug files",
        arguments: [
            "zip -qr archive *.dSYM && mv archive.zip archive",
            // With sizes after the entries, and with 64-bit sizes.
            "zip -qr - *.dSYM | cat > archive",
            "zip -qr -fz archive *.dSYM && mv archive.zip archive",
            // With a comment that is as long as the format allows.
            """
            zip -qr archive *.dSYM && head -c 65535 /dev/zero | tr '\\0' x | zip -qz archive.zip \
            && mv archive.zip archive
            """,
            "tar -cf archive *.dSYM", "tar --format=v7 -cf archive *.dSYM",
            "tar --format=pax -cf archive *.dSYM", "tar -czf archive *.dSYM",
            "tar -cJf archive *.dSYM", "tar --zstd -cf archive *.dSYM",
        ])
    func kinds(packing: String) throws {
        try folder.shell(
            "cp -r '\(projectFolder.path)/Symbols/\(Self.build)/'*.dSYM . && \(packing)")
        let archive = try folder.unpack("archive")
        #expect(archive.problems.isEmpty)
        #expect(archive.files.map(\.name).sorted() == [Self.app, Self.kit])
        let contents = try folder.contents(of: archive)
        for name in [Self.app, Self.kit] { #expect(try contents[name] == original(name)) }
        #expect(folder.unpackedPaths() == ["out", "out/1", "out/2"])
    }

    @Test(
        "a compressed file gets its original name",
        arguments: ["gzip -9", "xz", "zstd -q --rm"])
    func singleFiles(tool: String) throws {
        try folder.write(wanted, to: "press.debug")
        try folder.shell(
            "\(tool) press.debug && cp press.debug.* named && mv press.debug.* press.PACKED")
        for (name, inside) in [("named", "named"), ("press.PACKED", "press.PACKED")] {
            let archive = try folder.unpack(name)
            #expect(try folder.contents(of: archive) == [inside: wanted])
            #expect(archive.files.map(\.byteCount) == [Int64(wanted.count)])
            try folder.shell("rm -r out")
        }
        try folder.shell("for e in gz xz zst; do cp named press.debug.$e; done")
        for ending in ["gz", "xz", "zst"] {
            #expect(try folder.unpack("press.debug.\(ending)").files.map(\.name) == ["press.debug"])
            try folder.shell("rm -r out")
        }
    }

    @Test("nested archives are unpacked, four deep")
    func nesting() throws {
        try folder.write(wanted, to: "x")
        try folder.shell(
            """
            gzip -k x && zip -q b.zip x.gz && tar -cJf c.txz b.zip x && zip -q d.zip c.txz
            zstd -q d.zip -o e.zst && tar -cf f.tar e.zst
            """)
        let whole = try folder.unpack("e.zst")
        #expect(
            try folder.contents(of: whole) == [
                "e/c.txz/x": wanted, "e/c.txz/b.zip/x.gz/x": wanted,
            ])
        #expect(whole.problems.isEmpty)
        #expect(folder.unpackedPaths().count == 3)
        try folder.shell("rm -r out")
        let tooDeep = try folder.unpack("f.tar")
        #expect(tooDeep.files.map(\.name) == ["e.zst/e/c.txz/x"])
        #expect(
            tooDeep.problems.map(\.description) == [
                "f.tar/e.zst/e/c.txz/b.zip/x.gz: is nested in more than 4 archives, the limit: "
                    + "unpack the outer archives"
            ])
    }

    @Test("unwanted files are never written")
    func unwanted() throws {
        var zip = ZipBuilder()
        for name in ["__MACOSX/x", "a/._x", "a/.DS_Store", "a/__MACOSX/b/x"] {
            zip.add(name, wanted)
        }
        zip.add("texture", [UInt8](repeating: 7, count: 1 << 20))
        zip.add("empty")
        zip.add("a/x", wanted)
        try folder.write(zip.bytes(), to: "archive")
        let archive = try folder.unpack("archive")
        #expect(archive.files.map(\.name) == ["a/x"])
        #expect(archive.skipped == [.residue: 4, .unwanted: 2])
        #expect(archive.problems.isEmpty)
        #expect(folder.unpackedPaths() == ["out", "out/1"])
    }

    @Test("names keep spaces, commas and accents, and backslashes become slashes")
    func names() throws {
        var zip = ZipBuilder()
        let path = "Smørrebrød, my app.dSYM\\Contents\\Resources\\DWARF\\Smørrebrød, my app"
        zip.add(path, wanted)
        // The same accent in a Windows encoding, which is not valid UTF-8.
        zip.add([0x73, 0x6d, 0xf8, 0x72], wanted)
        // An accent that would combine with the slash before it.
        zip.add("a/\u{301}b", wanted)
        let result = try folder.unpack(zip.bytes())
        #expect(
            Set(result.contents.keys) == [
                path.replacingOccurrences(of: "\\", with: "/"), "sm\u{fffd}r", "a/\u{301}b",
            ])
        #expect(result.problems.isEmpty)
    }

    @Test("names in tar archives keep accents too, in every format", arguments: ["gnu", "pax"])
    func tarNames(format: String) throws {
        let name = "Smørrebrød, \(String(repeating: "long ", count: 40))"
        try folder.write(wanted, to: name)
        try folder.shell("tar --format=\(format) -cf archive Sm*")
        #expect(try folder.contents(of: folder.unpack("archive")) == [name: wanted])
    }

    @Test("every one of several entries with the same name is kept")
    func duplicates() throws {
        var tar = TarBuilder()
        for text in ["wanted 1", "wanted 2"] { tar.add("x", Array(text.utf8)) }
        tar.add("x/y", wanted)
        try folder.write(tar.bytes(), to: "archive")
        let archive = try folder.unpack("archive")
        #expect(archive.files.map(\.name) == ["x", "x", "x/y"])
        #expect(Set(archive.files.map(\.path)).count == 3)
        #expect(archive.problems.isEmpty)
    }

    @Test("holes of sparse files are filled")
    func sparse() throws {
        try folder.write(wanted, to: "x")
        try folder.shell("truncate -s 1M x && tar -Sczf archive x")
        let archive = try folder.unpack("archive")
        let hole = [UInt8](repeating: 0, count: (1 << 20) - wanted.count)
        #expect(try folder.contents(of: archive) == ["x": wanted + hole])
    }

    @Test(
        "an empty archive is valid",
        arguments: [
            "mv empty.zip archive", "tar -czf archive -T /dev/null",
            "gzip -c /dev/null > archive", "zstd -q empty -o archive",
        ])
    func empty(packing: String) throws {
        try folder.write(ZipBuilder().bytes(), to: "empty.zip")
        try folder.write([], to: "empty")
        try folder.shell(packing)
        let archive = try folder.unpack("archive")
        #expect(archive.files.isEmpty)
        #expect(archive.problems.isEmpty)
    }
}
