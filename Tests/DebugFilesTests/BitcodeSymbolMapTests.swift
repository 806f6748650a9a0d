import ByteReading
import CallStacks
import DebugFiles
import TestSupport
import Testing

@Suite("Symbol maps of bitcode builds")
struct BitcodeSymbolMapTests {
    private func map(_ lines: String..., version: String = "2.0") throws -> BitcodeSymbolMap {
        let text = (["BCSymbolMap Version: \(version)"] + lines).joined(separator: "\n")
        return try BitcodeSymbolMap(FileBytes(Array(text.utf8)))
    }

    /// The names in the string table of a Mach-O file with these symbols, read with a map.
    private func names(
        _ names: String..., in map: BitcodeSymbolMap
    ) throws -> (lines: [String], summary: DebugFileSummary) {
        var machO = MachOBuilder.library()
        machO.symbols = names.enumerated().map {
            .init($0.element, at: 0x1_0000_1000 + UInt64(16 * $0.offset))
        }
        var sink = RenamingSink(RecordingSink(), names: map)
        let summary = try DebugFileTests.file(machO.bytes()).read(into: &sink)
        let names = sink.base.lines.map {
            $0.split(separator: " ").dropFirst(2).prefix(1).joined()
        }
        return (names, summary)
    }

    @Test("a placeholder gets the name on the line of its number, without Mach-O's underscore")
    func renaming() throws {
        let map = try map("_main", "$s4Shop4CartV5totalyyF", "-[Cart add:]", "")
        #expect(map.count == 3)
        let read = try names("__hidden#1_", "__hidden#0_", "_free", "__hidden#2_", in: map)
        #expect(read.lines == ["$s4Shop4CartV5totalyyF", "main", "free", "-[Cart"])
        #expect(read.summary.named(by: map).warnings.map(\.code) == [.noDebugInfo])
        #expect(read.summary.hiddenNameCount == 3)
    }

    @Test("names of the first version have no underscore, and may be marked as verbatim")
    func firstVersion() throws {
        let map = try map("main", "\u{1}_start", version: "1.0")
        let read = try names("___hidden#0_", "___hidden#1_", in: map)
        #expect(read.lines == ["main", "_start"])
    }

    @Test("a placeholder without a name in the map stays, with a warning")
    func otherBuild() throws {
        let map = try map("_main", "")
        let read = try names("__hidden#5_", "__hidden#0_", in: map)
        #expect(read.lines == ["_hidden#5_", "main"])
        let warning = read.summary.named(by: map).warnings.last
        #expect(warning?.code == .hiddenSymbols)
        #expect(warning?.text.contains("has 1 names but name 5 is needed") == true)
    }

    @Test(
        "a name that only looks like a placeholder is not replaced",
        arguments: ["_hidden#_", "_hidden#x_", "_hidden#1x", "_hidden#12345678901_", "_hidden"])
    func lookalikes(name: String) throws {
        let read = try names("_" + name, in: try map("_main"))
        #expect(read.lines == [name])
        #expect(read.summary.hiddenNameCount == 0)
    }

    @Test("names and folders of files are restored like functions")
    func files() throws {
        var sink = RenamingSink(RecordingSink(), names: try map("Cart.swift", "/Users/ci"))
        let name = Array("__hidden#0_".utf8)
        let folder = Array("__hidden#1_".utf8)
        _ = sink.number(ofFile: name.span, folder: folder.span)
        #expect(sink.base.files == ["/Users/ci/Cart.swift"])
    }

    @Test("a file that starts differently is not a map", arguments: ["", "BCSymbolMap", "main\n"])
    func noMap(text: String) {
        #expect(throws: ReadingError.self) {
            try BitcodeSymbolMap(FileBytes(Array(text.utf8)))
        }
    }

    @Test("every prefix of a map is a map or an error")
    func prefixes() throws {
        let whole = Array("BCSymbolMap Version: 2.0\n_main\n_free\n".utf8)
        for count in whole.indices {
            let map = try? BitcodeSymbolMap(FileBytes(whole.prefix(count)))
            #expect((map?.count ?? 0) <= 2)
        }
    }
}
