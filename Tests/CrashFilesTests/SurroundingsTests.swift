import CallStacks
import Testing

@testable import CrashFiles

@Suite("What stands around reports")
struct SurroundingsTests {
    private func file(_ reports: (format: CrashFormat, range: Range<Int>)...) -> CrashFile {
        let nothing = Diagnostic(kind: .crash, tree: CallStackTree(form: .threads))
        return CrashFile(
            reports: reports.map {
                CrashReport($0.format, range: $0.range, content: .resolved(nothing), rewriting: nil)
            })
    }

    private func words(_ file: CrashFile, _ byteCount: Int) -> [String] {
        file.pieces(of: [UInt8](repeating: 0x20, count: byteCount)).map {
            switch $0 {
            case .report(let number): "report \(number)"
            case .lines(let range): "\(range)"
            }
        }
    }

    @Test("the lines of a log stand before, between and behind its reports")
    func log() {
        let log = file((.swiftText, 10..<20), (.swiftJSON, 20..<25), (.swiftText, 30..<40))
        #expect(
            words(log, 50) == ["0..<10", "report 0", "report 1", "25..<30", "report 2", "40..<50"])
        #expect(words(log, 40).last == "report 2")
    }

    @Test("what stands between the parts of a document is no text")
    func document() {
        #expect(
            words(file((.metricKit, 10..<20), (.metricKit, 30..<40)), 50) == [
                "report 0", "report 1",
            ])
        #expect(words(file((.ips, 10..<20)), 50) == ["report 0"])
    }

    @Test("a file without a report is all lines")
    func nothing() {
        #expect(words(file(), 50) == ["0..<50"])
        #expect(words(file(), 0) == [])
    }

    @Test("ranges that reach into one another or past the end lose nothing and repeat nothing")
    func ranges() {
        let log = file((.swiftText, 10..<30), (.swiftText, 20..<25), (.swiftText, 40..<99))
        #expect(words(log, 50) == ["0..<10", "report 0", "report 1", "30..<40", "report 2"])
    }

    @Test("a line break behind a report is its own", arguments: ["\n", "\r\n"])
    func lineBreak(lineBreak: String) {
        let bytes = Array("a\nreport\(lineBreak)b".utf8)
        let end = bytes.count - 1
        #expect(
            file((.swiftText, 2..<8)).pieces(of: bytes).map { "\($0)" }
                == ["lines(Range(0..<2))", "report(0)", "lines(Range(\(end)..<\(bytes.count)))"])
    }

    @Test("an empty line behind a report is none of its lines")
    func emptyLine() {
        let pieces = file((.swiftText, 0..<7)).pieces(of: Array("report\n\nb".utf8))
        #expect(pieces.map { "\($0)" } == ["report(0)", "lines(Range(7..<9))"])
    }

    @Test("every format is named, each by words of its own")
    func names() {
        #expect(Set(CrashFormat.allCases.map(\.words)).count == CrashFormat.allCases.count)
        #expect(CrashFormat.allWords.hasPrefix("Apple's .ips, .crash text, spindump"))
        #expect(CrashFormat.allWords.hasSuffix(" or lines of 'UUID OFFSET'"))
    }
}
