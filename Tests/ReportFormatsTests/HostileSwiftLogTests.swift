import CallStacks
import JSONText
import LogExtraction
import MetricKitPayloads
import ReportFormats
import TestSupport
import Testing

/// Logs that try to break the search for backtraces, or to make it slow.
@Suite("Hostile logs with Swift backtraces")
struct HostileSwiftLogTests {
    private static let trace = """
        *** Program crashed: Illegal instruction at 0x0000000000401000 ***
        Thread 0 "orchard" crashed:
        0 0x0000000000401000 pick() in orchard at /src/main.swift:3:5
        Images:
        0x0000000000400000–0x0000000000402000 58c59e1e0b84bfb608500aab85635a597b6fd64b orchard /app/orchard
        Backtrace took 0.01s

        """

    private func file(_ text: String, limits: PayloadLimits = PayloadLimits()) -> CrashFile {
        CrashFileReader(limits: limits).read(Array(text.utf8))
    }

    private func record(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return "{\"message\":\(String(decoding: writer.bytes, as: UTF8.self))}\n"
    }

    @Test(
        "a brace in an .ips header does not begin a JSON report in the text after it",
        arguments: ["\n", " ", "\nlines\n\n", " {\n", "\n{"])
    func braceInHeader(between: String) {
        let header = #"{"bug_type":"309","a":{"threads":[],"kind":"crashReport"}}"#
        let reports = file(header + between + "kind: crashReport\n").reports
        #expect(reports.allSatisfy { $0.format != .swiftJSON })
    }

    @Test("a line with thousands of false headlines is read once")
    func headlinesOnALine() {
        let line = String(repeating: "*** Program crashed: ", count: 2_000) + "\n"
        for text in [line, record(line)] {
            let file = file(text + record(Self.trace))
            #expect(file.reports.count == 1)
            #expect(file.remarks.isEmpty)
        }
    }

    @Test("all backtraces in one record are read")
    func severalInARecord() {
        let text = "log\n" + Self.trace + "log\n" + Self.trace + Self.trace
        let file = file(record(text) + record(Self.trace))
        #expect(file.reports.count == 4)
        let ranges = file.reports.map(\.range)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    }

    @Test("a record with very many backtraces is not read again for each, and gets a remark")
    func manyInARecord() {
        let short = "*** Program crashed: ***\n0 0x0000000000401000 pick()\n"
        let file = file(record(String(repeating: short + "\n", count: 900)) + record("crates"))
        #expect(!file.reports.isEmpty)
        #expect(file.remarks == [.sizeLimit])
    }

    @Test(
        "text after many false opening braces is not read again for each, and gets a remark")
    func nestedObjects() {
        let opening = String(repeating: #"{"kind": "crashReport", "a": ["# + "\n", count: 100)
        let tail = String(repeating: "1234567890,", count: 20_000)
        let file = file("log\n" + opening + tail + "\n")
        #expect(file.remarks == [.sizeLimit])
        #expect(file.reports.isEmpty)
    }

    @Test("excess images and threads of a JSON report are dropped, with a remark")
    func limits() throws {
        let frames = #""frames": [{"kind": "programCounter", "address": "0x0000000000401000"}]"#
        let text = """
            {"kind": "crashReport", "threads": [{\(frames)}, {\(frames)}],
             "images": [{"name": "orchard"}, {"name": "press"}]}
            """
        var limits = PayloadLimits()
        limits.imagesPerTree = 1
        limits.stacksPerTree = 1
        let cut = try #require(file(text, limits: limits).reports.first).resolved()
        #expect(cut.images.count == 1)
        #expect(cut.tree.stacks.count == 1)
        #expect(cut.remarks == [.sizeLimit, .frameLimit])
        limits.imagesPerTree = 2
        limits.stacksPerTree = 2
        #expect(file(text, limits: limits).reports.first?.resolved().remarks == [])
    }

    @Test(
        "excess images of other reports are dropped, with a remark",
        arguments: [
            #"{"usedImages": [{"name": "orchard"}, {"name": "press"}], "threads": []}"#,
            #"{"crash": {"threads": []}, "report": {}, "binary_images": [{"name": "a"}, {"name": "b"}]}"#,
        ])
    func imagesOfOthers(text: String) throws {
        var limits = PayloadLimits()
        limits.imagesPerTree = 1
        let cut = try #require(file(text, limits: limits).reports.first).resolved()
        #expect(cut.images.count == 1)
        #expect(cut.tree.remarks == [.sizeLimit])
        #expect(file(text).reports.first?.resolved().tree.remarks == [])
    }
}
