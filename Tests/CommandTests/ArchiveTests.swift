import Foundation
import TestSupport
import Testing

@Suite("Archives on the command line")
struct ArchiveTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// The frames of the app that a crash gets from symbols.
    private func symbolicate(_ symbols: String) throws -> Run {
        try workspace.symbolist(
            "symbolicate", Orchard.absolute(Orchard.crash), "--symbols", symbols)
    }

    @Test("a zip of dSYMs two folders down answers as the folder does, and warns of an empty one")
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
                    "dSYMs.zip/build/Zero.dSYM: bundle holds no debug file: "
                        + "build or download it again"
                ])
            #expect(run.status == 0)
        }
    }

    @Test("an entry that leads out of an archive fails the run, and nothing else")
    func traversal() throws {
        var zip = ZipBuilder()
        zip.add("../x", Array(try Orchard.bytes(Orchard.kitFile)))
        zip.add("OrchardKit", Array(try Orchard.bytes(Orchard.kitFile)))
        try workspace.file("x.zip", Data(zip.bytes()))
        let run = try workspace.symbolist("inspect", "x.zip")
        #expect(run.status == 1)
        #expect(
            run.problems == [
                "x.zip/../x: name leads out of the archive: the entry is left out: "
                    + "pack it by a relative name"
            ])
        #expect(run.text.hasPrefix("x.zip/OrchardKit\n"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path).sorted()
                .filter { !$0.contains("-") } == ["cache", "x.zip"])
    }

    @Test("a disk without room is a line, and leaves nothing")
    func diskFull() throws {
        var zip = ZipBuilder()
        zip.add("OrchardKit", Array(try Orchard.bytes(Orchard.kitFile)))
        try workspace.file("x.zip", Data(zip.bytes()))
        // Files end after 512 bytes, as on a disk without room.
        let run = try workspace.shell(
            "trap '' XFSZ; ulimit -f 1; symbolist inspect x.zip 2> err; s=$?; ulimit -f unlimited; exit $s"
        )
        #expect(run.status == 1)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: workspace.cache.appending(path: "archives").path)
        #expect(left.isEmpty)
    }
}
