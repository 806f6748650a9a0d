import CallStacks
import Foundation
import LogExtraction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

@Suite("Reports of several formats in one file")
struct MixedReportTests {
    private static let release = "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/"
    private static let swift = "Fixtures/Diagnostics/linux-swift-release/"
    private static let goldens = "Tests/ReportFormatsTests/Goldens/"

    static let names = [
        release + "divide-by-zero.report.ips", release + "divide-by-zero.legacy.crash",
        goldens + "hang.sample.txt", goldens + "hang.spindump.txt", goldens + "tombstone.txt",
        release + "index-rebuild.hang.json",
        swift + "engine-index.backtrace.txt", "Fixtures/Stacks/gdb.txt",
        "Fixtures/Stacks/address.txt", "Fixtures/Stacks/undefined.txt", "Fixtures/Stacks/rust.txt",
        "Fixtures/Stacks/perf.txt", "Fixtures/Stacks/backtrace-symbols.txt", kscrash,
    ]

    /// Not a file: a report of KSCrash.
    private static let kscrash = "KSCrash"
    private static let kscrashReport = #"""
        {"report":{"version":{"major":3},"timestamp":"2026-11-20T08:31:06Z"},
        "binary_images":[{"image_addr":4096,"image_size":8192,"name":"/a/Orchard.app/Orchard",
        "uuid":"4C4C4481-5555-3144-A199-BFCEAE3FE729","cpu_type":16777228,"cpu_subtype":0}],
        "system":{"cpu_arch":"arm64"},"crash":{"error":{"type":"signal","signal":{"signal":11}},
        "threads":[{"crashed":true,"index":0,"backtrace":{"contents":[
        {"object_name":"Orchard","object_addr":4096,"instruction_addr":4112}]}}]}}

        """#

    private func contents(_ name: String) throws -> [UInt8] {
        if name == Self.kscrash { return bytes(Self.kscrashReport) }
        return [UInt8](try Data(contentsOf: projectFolder.appendingPathComponent(name)))
    }

    private func formats(_ text: [UInt8]) -> [CrashFormat] {
        CrashFileReader().read(text).reports.map(\.format)
    }

    @Test(
        "a file with two has the reports of both", arguments: MixedReportTests.names,
        MixedReportTests.names)
    func pair(first: String, second: String) throws {
        // The stacks of two runs of a program on Linux are read as one text.
        let areStacks = [first, second].allSatisfy { $0.hasPrefix("Fixtures/Stacks/") }
        if first == second || areStacks { return }
        let prose = bytes("\n\nPeter sent this one\n\n")
        let (start, end) = (try contents(first), try contents(second))
        let expected = formats(start) + formats(end)
        try #require(!expected.isEmpty)
        #expect(formats(start + prose + end) == expected)
    }

    /// The file with two functions for each frame.
    private func written(_ text: [UInt8]) -> [UInt8] {
        let functions = [
            FoundFunction(name: "inner", line: 3, isInlined: true),
            FoundFunction(name: "outer", distance: 1, line: 7),
        ]
        var edits: [Edit] = []
        var budget = EditBudget(fileByteCount: text.count)
        for report in CrashFileReader().read(text).reports {
            let diagnostic = report.resolved()
            let found = diagnostic.tree.frames.indices.map { ($0, functions) }
            edits += report.edits(
                with: diagnostic.symbolicated(Dictionary(uniqueKeysWithValues: found)),
                budget: &budget)
        }
        return edits.applied(to: text)
    }

    @Test(
        "both reports are written as if alone, and the prose between them stays",
        arguments: MixedReportTests.names, MixedReportTests.names)
    func same(first: String, second: String) throws {
        let areStacks = [first, second].allSatisfy { $0.hasPrefix("Fixtures/Stacks/") }
        if first == second || areStacks { return }
        let prose = bytes("\n\nPeter sent this one: \u{1f34e} 0x1f  \r\n\t- \"it's brown\"\n\n")
        let (start, end) = (try contents(first), try contents(second))
        let expected = written(start) + prose + written(end)
        let isSame = written(start + prose + end) == expected
        #expect(isSame)
    }

    @Test("a stream with two has the reports of both", arguments: MixedReportTests.names)
    func stream(first: String) throws {
        let prose = bytes("\n\nPeter sent this one\n\n")
        let end = bytes(Self.kscrashReport.replacing("\n", with: "") + "\n")
        let start = try contents(first)
        var stream = ReportStream()
        var found: [CrashFormat] = []
        for case .report(let bytes) in stream.add(start + prose + end) + stream.end() {
            found += formats(bytes)
        }
        #expect(found.last == .ksCrash)
        #expect(found.first == formats(start).first)
    }

    @Test("payloads of MetricKit before and after another report are all read")
    func payloads() throws {
        let payload = try contents(Self.release + "index-rebuild.hang.json")
        let crash = try contents(Self.release + "divide-by-zero.legacy.crash")
        let line = bytes("\n")
        let count = formats(payload).count
        let expected = [CrashFormat](repeating: .metricKit, count: 2 * count)
        let file = CrashFileReader().read(payload + line + payload + line + crash + line + payload)
        #expect(file.reports.map(\.format) == expected + [.crashText] + expected.prefix(count))
        #expect(file.unread.isEmpty)
    }

    @Test("a damaged payload before another report is listed")
    func damagedPayload() throws {
        let payload = try contents(Self.release + "index-rebuild.hang.json")
        let crash = try contents(Self.release + "divide-by-zero.legacy.crash")
        let file = CrashFileReader().read(payload + bytes("\n{\"callStackTree\": [,\n") + crash)
        #expect(file.reports.last?.format == .crashText)
        let isListed = !file.unread.isEmpty || !file.remarks.isEmpty
        #expect(isListed || file.reports.count > formats(payload).count + 1)
    }

    @Test(
        "a report after one of an unsupported kind is read, and the kind is named",
        arguments: [
            "{\"bug_type\":\"298\"}\n{\"memoryStatus\":{},\"processes\":[]}\n",
            "{\"bug_type\":\"298\"}\n{\"largestProcess\":\"Orchard\"}\n",
            "{\"bug_type\":\"210\"}\npanic(cpu 2 caller 0xfffffe002be4a5a8): jammed\n",
            "{\"bug_type\":\"211\"}\n{\"message\":{\"Count\":1}}\n{\"message\":{\"Count\":2}}\n",
        ], MixedReportTests.names)
    func unsupported(first: String, second: String) throws {
        let end = try contents(second)
        for prose in ["", "\nPeter sent this one\n\n"] {
            let file = CrashFileReader().read(bytes(first + prose) + end)
            #expect(file.reports.map(\.format) == formats(end))
            #expect(file.hasUnsupportedReport)
            #expect(file.unread.count == 1)
        }
    }

    @Test("other JSON after a report does not split it")
    func oneReport() throws {
        let crash = try contents(Self.release + "divide-by-zero.legacy.crash")
        let object = bytes("{\"level\":\"debug\"}\n{\n  \"a\": 1\n}\n")
        #expect(formats(crash + object) == [.crashText])
    }

    @Test("objects in a log that never end are read a limited number of times")
    func damagedObjects() throws {
        let objects = bytes(String(repeating: "{\"a\":[\n", count: 2_000))
        #expect(formats(try contents("Fixtures/Stacks/gdb.txt") + objects) == [.gdb])
    }
}

extension MixedReportTests {
    @Test("a text report after a damaged body is found if a header precedes the body")
    func damagedBody() throws {
        let text = try contents(Self.release + "divide-by-zero.legacy.crash")
        let damaged = bytes(
            "{\"bug_type\":\"309\",\"os_version\":\"1\"}\n{\n  \"threads\" : nan,\n}\n")
        #expect(formats(text + damaged + text) == formats(text) + formats(damaged) + formats(text))
        #expect(formats(text).count == 1)
    }
}
