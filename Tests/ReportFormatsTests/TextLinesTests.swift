import CallStacks
import LogExtraction
import Testing

@testable import ReportFormats

@Suite("Lines of a text")
struct TextLinesTests {
    @Test("lines exclude their ends and a byte-order mark")
    func ends() {
        let lines = TextLines(Array("\u{feff}one\r\ntwo\n\nfour".utf8))
        #expect(lines.indices.map(lines.string) == ["one", "two", "", "four"])
        #expect(lines.ranges.first == 3..<6)
        #expect(lines.indices.map { Array(lines.lineEnd($0)) } == [[13, 10], [10], [10], []])
    }

    @Test("invalid UTF-8 is replaced")
    func invalid() {
        #expect(TextLines([0x61, 0xff, 0x62]).string(0) == "a\u{fffd}b")
    }

    @Test("HTML entities are decoded, and positions map back to the file")
    func entities() {
        let lines = TextLines(Array("a\n&lt;b&gt; &amp;c".utf8))
        #expect(lines.string(1) == "<b> &c")
        #expect(lines.fileOffset(inLine: 1, at: 0) == 2)
        #expect(lines.fileOffset(inLine: 1, at: 2) == 7)
        #expect(lines.fileOffset(inLine: 1, at: 99) == lines.bytes.count)
        #expect(lines.encoded("x<y>") == "x&lt;y&gt;")
        #expect(TextLines(Array("<pre>&lt;b".utf8)).string(0) == "<pre><b")
        #expect(TextLines(Array("<4c4c4481> &lt;".utf8)).string(0) == "<4c4c4481> &lt;")
    }

    @Test("non-breaking blanks are read as ordinary ones")
    func fixedBlanks() throws {
        let text = "0 \u{a0}Orchard\u{a0}0x1010 press + 16"
        let lines = TextLines(Array(text.utf8))
        #expect(FrameLine(lines.content(0))?.address == 0x1010)
        #expect(lines.fileOffset(inLine: 0, at: 3) == 4)
        #expect(lines.encoded("a <b>") == "a <b>")
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        #expect(report.resolved().tree.reportedFunctions[0]?.map(\.name) == ["press"])
    }

    @Test("lines that are too long are kept with empty content")
    func long() {
        let text = [UInt8](repeating: 0x61, count: TextLines.lineBytesLimit + 1) + [10, 0x62]
        let lines = TextLines(text)
        #expect(lines.content(0).isEmpty)
        #expect(lines.string(1) == "b")
    }
}
