import CallStacks
import Testing

@testable import CrashFiles

@Suite("Lines of a text")
struct TextLinesTests {
    @Test("hold neither their ends nor a byte-order mark")
    func ends() {
        let lines = TextLines(Array("\u{feff}one\r\ntwo\n\nfour".utf8))
        #expect(lines.indices.map(lines.string) == ["one", "two", "", "four"])
        #expect(lines.ranges[0] == 3..<6)
        #expect(lines.indices.map { Array(lines.lineEnd($0)) } == [[13, 10], [10], [10], []])
    }

    @Test("show bytes that are no text as such")
    func invalid() {
        #expect(TextLines([0x61, 0xff, 0x62]).string(0) == "a\u{fffd}b")
    }

    @Test("with entities are read without them, and places are found again")
    func entities() {
        let lines = TextLines(Array("a\n&lt;b&gt; &amp;c".utf8))
        #expect(lines.string(1) == "<b> &c")
        #expect(lines.place(1, 0) == 2)
        #expect(lines.place(1, 2) == 7)
        #expect(lines.place(1, 99) == lines.bytes.count)
        #expect(lines.encoded("x<y>") == "x&lt;y&gt;")
        #expect(TextLines(Array("<pre>&lt;b".utf8)).string(0) == "<pre><b")
        #expect(TextLines(Array("<4c4c4481> &lt;".utf8)).string(0) == "<4c4c4481> &lt;")
    }

    @Test("with blanks that do not break are read as if they did")
    func fixedBlanks() throws {
        let text = "0 \u{a0}Orchard\u{a0}0x1010 press + 16"
        let lines = TextLines(Array(text.utf8))
        #expect(FrameLine(lines.content(0))?.address == 0x1010)
        #expect(lines.place(0, 3) == 4)
        #expect(lines.encoded("a <b>") == "a <b>")
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        #expect(report.resolved().tree.given[0]?.map(\.name) == ["press"])
    }

    @Test("that are too long to be read are kept with no content")
    func long() {
        let text = [UInt8](repeating: 0x61, count: TextLines.lineBytesLimit + 1) + [10, 0x62]
        let lines = TextLines(text)
        #expect(lines.content(0).isEmpty)
        #expect(lines.string(1) == "b")
    }
}
