import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Stacks in the strings of JSON.
@Suite("Stacks of Linux in JSON")
struct RecordedStackTests {
    private static let stack = [
        "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000",
        "    #0 0x55f41410c38a  (/src/cellar+0x238a)",
        "    #1 0x55f41410c4c7  (/src/cellar+0x24c7)",
        "SUMMARY: AddressSanitizer: SEGV (/src/cellar+0x238a)",
    ]

    private static let containerLog =
        stack.map { #"{"log":"\#($0)\n","stream":"stderr"}"# }.joined(separator: "\n") + "\n"
    private static let message =
        #"{"level":"error","message":"it died:\n\#(stack.joined(separator: #"\n"#))\n"}"# + "\n"

    private func written(_ text: String) throws -> String {
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        let result = report.resolved().symbolicated([
            0: [
                FoundFunction(name: "tapped", line: 19, isInlined: true),
                FoundFunction(name: "serve", line: 38),
            ], 1: [FoundFunction(name: "main", line: 114)],
        ])
        var budget = EditBudget(fileByteCount: text.utf8.count)
        let edits = report.edits(with: result, budget: &budget)
        return String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
    }

    @Test("are read from one record or several", arguments: [containerLog, message])
    func read(log: String) throws {
        let file = CrashFileReader().read(Array(log.utf8))
        #expect(file.reports.map(\.format) == [.sanitizer])
        #expect(file.diagnostics.first?.tree.frames.count == 2)
    }

    @Test(
        "get functions within the records, and no more the second time",
        arguments: [containerLog, message])
    func same(log: String) throws {
        let once = try written(log)
        #expect(once.contains("#0 0x55f41410c38a in tapped "))
        #expect(once.contains("#2 0x55f41410c4c7 in main "))
        for line in once.split(separator: "\n") {
            #expect(line.hasPrefix("{") && line.hasSuffix("}"))
        }
        #expect(try written(once) == once)
    }

    @Test(
        "are buffered in a stream, and other records are passed on",
        arguments: [containerLog, message])
    func stream(log: String) {
        let other = #"{"log":"ready\n","message":"ready"}"# + "\n"
        let after = String(repeating: other, count: 40)
        var stream = ReportStream()
        var reports = 0
        var lines = ""
        for piece in stream.add(Array((other + log + after).utf8)) + stream.end() {
            switch piece {
            case .lines(let bytes): lines += String(decoding: bytes, as: UTF8.self)
            case .report(let bytes):
                let found = CrashFileReader().read(bytes).reports
                reports += found.count
                lines += found.isEmpty ? String(decoding: bytes, as: UTF8.self) : ""
            case .cut: Issue.record("a report was cut")
            }
        }
        #expect(reports == 1)
        #expect(lines == other + after)
    }

    private static let lines = stack.joined(separator: #"\n"#)

    private static let recordsWithStack = [
        #"{"level":"error","message":"it died","stack":"\#(lines)\n"}"#,
        #"{"message":"it died","exception.stacktrace":"\#(lines)"}"#,
        #"{"message":"it died","exception":{"type":"SEGV","stacktrace":"\#(lines)"}}"#,
        #"{"msg":"it died","err":{"type":"SEGV","stack":"\#(lines)"}}"#,
        #"{"body":"it died","attributes":{"exception.stacktrace":"\#(lines)"}}"#,
        #"{"level":"error","error":{"stack_trace":"\#(lines)"}}"#,
    ]

    @Test("are read beside the text of a record, and written there", arguments: recordsWithStack)
    func besideText(record: String) throws {
        let other = #"{"message":"ready","level":"info"}"# + "\n"
        let log = String(repeating: other, count: 300) + record + "\n" + other
        let file = CrashFileReader().read(Array(log.utf8))
        #expect(file.diagnostics.map(\.tree.frames.count) == [2])
        let once = try written(log)
        #expect(once.contains(#"#0 0x55f41410c38a in tapped "#))
        #expect(once.contains("it died") == record.contains("it died"))
        #expect(once.hasSuffix("}\n" + other))
        #expect(try written(once) == once)
        var stream = ReportStream()
        var found: [CrashReport] = []
        for case .report(let bytes) in stream.add(Array(log.utf8)) + stream.end() {
            found += CrashFileReader().read(bytes).reports
        }
        #expect(found.map(\.format) == [.sanitizer])
    }

    @Test("are read beside the texts of several records, one line each")
    func linesBesideText() throws {
        let log = Self.stack.map { #"{"message":"line","stack":"\#($0)"}"# + "\n" }.joined()
        #expect(
            CrashFileReader().read(Array(log.utf8)).diagnostics.map(\.tree.frames.count) == [2])
        let once = try written(log)
        #expect(once.contains(#"{"message":"line","stack":"    #1 0x55f41410c38a in serve "#))
        var stream = ReportStream()
        var counts: [Int] = []
        for case .report(let bytes) in stream.add(Array(log.utf8)) + stream.end() {
            counts += CrashFileReader().read(bytes).diagnostics.map(\.tree.frames.count)
        }
        #expect(counts == [2])
    }

    @Test("that a record has twice are one report, written in both texts")
    func twice() async throws {
        let log = #"{"message":"it died:\n\#(Self.lines)","stack":"\#(Self.lines)"}"# + "\n"
        let reports = CrashFileReader().read(Array(log.utf8)).reports
        #expect(reports.map(\.format) == [.sanitizer])
        #expect(reports.map(\.repetitions.count) == [1])
        let other = log.replacing(
            #""stack":"\#(Self.lines)""#,
            with: #""stack":"\#(Self.lines.replacing("0x238a", with: "0x238c"))""#)
        #expect(CrashFileReader().read(Array(other.utf8)).reports.count == 2)
    }

    @Test("events in an envelope are read, and other items are not")
    func envelope() throws {
        let event =
            #"{"exception":{"values":[{"type":"SIGSEGV","stacktrace":{"frames":["#
            + #"{"instruction_addr":"0x555555555392"}]}}]},"debug_meta":{"images":["#
            + #"{"type":"elf","code_file":"/src/cellar","image_addr":"0x555555554000","#
            + #""code_id":"2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c00000001"}]}}"#
        let attachment = "Hello\n{}\n"
        let items = """
            {"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","dsn":"https://e12d@sentry.example/42"}
            {"type":"attachment","length":\(attachment.utf8.count),"filename":"hello.txt"}
            \(attachment)
            {"type":"event","length":\(event.utf8.count)}
            \(event)
            {"type":"session"}
            {"started":"2026-01-01T00:00:00Z"}
            """
        let file = CrashFileReader().read(Array(items.utf8))
        #expect(file.reports.map(\.format) == [.sentryEvent])
        #expect(file.unread.isEmpty)
        let once = try written(items)
        #expect(once.contains(#""function":"serve""#) && once.hasPrefix(items.prefix(150)))
    }

    @Test("a truncated envelope is read as far as possible")
    func damagedEnvelope() {
        let whole = Array(
            (#"{"event_id":"1"}"# + "\n" + #"{"type":"event","length":900}"# + "\n"
                + #"{"exception":{},"debug_meta":{"images":[]}}"#).utf8)
        for end in 0...whole.count {
            #expect(CrashFileReader().read(Array(whole[..<end])).reports.count <= 1)
        }
    }
}
