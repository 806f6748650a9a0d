import CallStacks
import LogExtraction
import ReportFormats
import Testing

@Suite("Text around reports")
struct FileSegmentTests {
    private func file(_ reports: (format: CrashFormat, range: Range<Int>)...) -> CrashFile {
        let nothing = Diagnostic(kind: .crash, tree: CallStackTree(form: .threads))
        return CrashFile(
            reports: reports.map {
                CrashReport($0.format, range: $0.range, content: .resolved(nothing), rewriter: nil)
            })
    }

    private func words(_ file: CrashFile, _ byteCount: Int) -> [String] {
        file.segments(of: [UInt8](repeating: 0x20, count: byteCount)).map {
            switch $0 {
            case .report(let number): "report \(number)"
            case .lines(let range): "\(range)"
            }
        }
    }

    @Test("log lines are before, between and after reports")
    func log() {
        let log = file((.swiftText, 10..<20), (.swiftJSON, 20..<25), (.swiftText, 30..<40))
        #expect(
            words(log, 50) == ["0..<10", "report 0", "report 1", "25..<30", "report 2", "40..<50"])
        #expect(words(log, 40).last == "report 2")
    }

    @Test("text between the parts of a document is dropped")
    func document() {
        #expect(
            words(file((.metricKit, 10..<20), (.metricKit, 30..<40)), 50) == [
                "report 0", "report 1",
            ])
        #expect(words(file((.ips, 10..<20)), 50) == ["report 0"])
    }

    @Test("lines around a report of Apple's are kept")
    func around() {
        let report = "{\"bug_type\":\"309\"}\n{\n\"threads\": [],\n\"usedImages\": []\n}\n"
        let text = "start\n\(report)ready\ndone\n"
        let body =
            text.utf8.count - "{\n\"threads\": [],\n\"usedImages\": []\n}\nready\ndone\n".utf8.count
        let segments = file((.ips, body..<text.utf8.count - 12)).segments(of: Array(text.utf8))
        let end = text.utf8.count
        #expect(
            segments.map { "\($0)" } == [
                "lines(Range(0..<6))", "report(0)", "lines(Range(\(end - 11)..<\(end)))",
            ])
        #expect(file((.ips, 21..<40)).segments(of: Array(report.utf8)).count == 1)
    }

    @Test("a file without a report consists of lines")
    func nothing() {
        #expect(words(file(), 50) == ["0..<50"])
        #expect(words(file(), 0) == [])
    }

    @Test("overlapping or excessive ranges lose nothing and repeat nothing")
    func ranges() {
        let log = file((.swiftText, 10..<30), (.swiftText, 20..<25), (.swiftText, 40..<99))
        #expect(words(log, 50) == ["0..<10", "report 0", "report 1", "30..<40", "report 2"])
    }

    @Test("a line break after a report belongs to it", arguments: ["\n", "\r\n"])
    func lineBreak(lineBreak: String) {
        let bytes = Array("a\nreport\(lineBreak)b".utf8)
        let end = bytes.count - 1
        #expect(
            file((.swiftText, 2..<8)).segments(of: bytes).map { "\($0)" }
                == ["lines(Range(0..<2))", "report(0)", "lines(Range(\(end)..<\(bytes.count)))"])
    }

    @Test("an empty line after a report belongs to no lines")
    func emptyLine() {
        let segments = file((.swiftText, 0..<7)).segments(of: Array("report\n\nb".utf8))
        #expect(segments.map { "\($0)" } == ["report(0)", "lines(Range(7..<9))"])
    }

    @Test("every format has its own name")
    func names() {
        #expect(Set(CrashFormat.allCases.map(\.displayName)).count == CrashFormat.allCases.count)
        #expect(CrashFormat.allDisplayNames.hasPrefix("Apple's .ips, .crash text, spindump"))
        #expect(CrashFormat.allDisplayNames.hasSuffix(" or lines of 'UUID OFFSET'"))
    }
}
