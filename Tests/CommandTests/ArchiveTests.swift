import Foundation
import TestSupport
import Testing

@Suite("Archives on the command line", .ownThreads)
struct ArchiveTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// The app frames of a crash, symbolicated with the given symbols.
    private func symbolicate(_ symbols: String) throws -> Run {
        try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.crash), "--symbols", symbols)
    }

    @Test(
        "a zip of dSYMs in subfolders resolves as the folder does, with a warning for an empty dSYM"
    )
    func deepZip() throws {
        try workspace.copy(Orchard.symbols, to: "pack/build/dSYMs")
        try workspace.file("pack/__MACOSX/build/._x", text: "x")
        try workspace.file("pack/build/Zero.dSYM", Data())
        try TestSupport.shell(
            "zip -qr ../dSYMs.zip .", in: workspace.folder.appending(path: "pack"))
        let folder = try symbolicate(Orchard.absolute(Orchard.symbols))
        for _ in 0..<2 {
            let run = try symbolicate("dSYMs.zip")
            #expect(run.text == folder.text)
            #expect(
                run.problems == [
                    "dSYMs.zip/build/Zero.dSYM: bundle contains no debug file: "
                        + "build or download it again"
                ])
            #expect(run.status == 0)
        }
    }

    @Test("an archive without entries is empty", arguments: ["zip", "tar", "tar.gz"])
    func empty(kind: String) throws {
        try workspace.file(
            "x.\(kind)", kind == "zip" ? Data(ZipBuilder().bytes()) : Data(count: 10_240))
        if kind == "tar.gz" {
            try TestSupport.shell(
                "mv x.tar.gz x && gzip -n x && mv x.gz x.tar.gz", in: workspace.folder)
        }
        let run = try workspace.symbolist("symbolicate", "x.\(kind)")
        #expect(run.status == 3)
        #expect(run.problems.first?.hasPrefix("x.\(kind): is empty: ") == true, "\(run.problems)")
    }

    @Test("zeros that are no blocks of an archive are not an empty one")
    func zeros() throws {
        for count in [512, 1_025, 128 << 10] {
            try workspace.file("zeros", Data(count: count))
            let run = try workspace.symbolist("symbolicate", "zeros")
            #expect(run.problems.first?.contains("is not a supported report") == true, "\(count)")
        }
    }

    @Test("an entry with a path outside the archive fails the run but not the other entries")
    func traversal() throws {
        var zip = ZipBuilder()
        zip.add("../x", Array(try Orchard.bytes(Orchard.kitFile)))
        zip.add("OrchardKit", Array(try Orchard.bytes(Orchard.kitFile)))
        try workspace.file("x.zip", Data(zip.bytes()))
        let run = try workspace.symbolist("inspect", "x.zip")
        #expect(run.status == 1)
        #expect(
            run.problems == [
                "x.zip/../x: name points outside the archive: the entry was skipped: "
                    + "pack it with a relative name"
            ])
        #expect(run.text.hasPrefix("x.zip/OrchardKit\n"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path).sorted()
                .filter { !$0.contains("-") } == ["cache", "x.zip"])
    }

    @Test("a full disk is one line and leaves no files")
    func diskFull() throws {
        var zip = ZipBuilder()
        zip.add("OrchardKit", Array(try Orchard.bytes(Orchard.kitFile)))
        try workspace.file("x.zip", Data(zip.bytes()))
        // Writes fail after 512 bytes, as on a full disk.
        let run = try workspace.shell(
            "trap '' XFSZ; ulimit -f 1; symbolist inspect x.zip 2> err; s=$?; ulimit -f unlimited; exit $s"
        )
        #expect(run.status == 1)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: workspace.cache.appending(path: "archives").path)
        #expect(left.isEmpty)
    }
}
