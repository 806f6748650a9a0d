import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import Testing

/// Stacks of Linux in logs that write a prefix before each line.
@Suite("Stacks of Linux after the prefixes of logs")
struct PrefixedStackTests {
    enum Prefix: CaseIterable, Sendable {
        case compose, quote, kubernetes, syslog, bracket, actions, record

        /// The line of a log with a text.
        func line(_ text: Substring, number: Int) -> String {
            switch self {
            case .compose: "web-1  | " + text
            case .quote: "> " + text
            case .kubernetes: "2026-10-01T07:30:\(10 + number % 50).\(number)Z stderr F " + text
            case .syslog: "Oct 10 07:30:\(10 + number % 50) host orchard[417]: " + text
            case .bracket: "[2026-10-01 07:30:\(10 + number % 50)] [error] " + text
            case .actions: "2026-10-01T07:30:\(10 + number % 50).\(1_234_567 + number)Z " + text
            case .record: #"{"message":"web-1  | \#(Self.escaped(text))"}"#
            }
        }

        private static func escaped(_ text: Substring) -> String {
            String(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\t", with: "\\t")
        }
    }

    private static let lldb = """
        * thread #1, name = 'cellar', stop reason = signal SIGSEGV
          * frame #0: 0x0000555555555392 cellar`___lldb_unnamed_symbol12 + 18
            frame #1: 0x00005555555554c7 cellar`main + 20
        [  0] 2E1F0B7C-9D8E-2E1F-0B7C-9D8E2E1F0B7C-00000001 0x0000555555554000 /src/cellar

        """
    private static let go = """
        panic: runtime error: index out of range [5] with length 3

        goroutine 1 [running]:
        main.pour(...)
        \t/src/main.go:8
        main.(*Cask).serve(0xc000012345, {0x1, 0x2})
        \t/src/main.go:14 +0x1d
        exit status 2

        """
    private static let texts = ["lldb": lldb, "go": go]
    private static let names = [
        "gdb.txt", "perf.txt", "rust.txt", "rust.full.txt", "address.txt", "thread.txt",
        "undefined.txt", "backtrace-symbols.txt", "valgrind.txt", "boost.txt", "glog.txt", "go.txt",
        "lldb", "go",
    ]

    private func text(_ name: String) throws -> String {
        try Self.texts[name]
            ?? String(decoding: LinuxStackReadingTests.fixture(name), as: UTF8.self)
    }

    private func log(_ text: String, _ prefix: Prefix) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.enumerated().map { prefix.line($1, number: $0) + "\n" }.joined()
    }

    /// The text with `f` and a source line for each frame.
    private func written(_ text: String) -> String {
        var edits: [Edit] = []
        var budget = EditBudget(fileByteCount: text.utf8.count)
        for report in CrashFileReader().read(Array(text.utf8)).reports {
            let diagnostic = report.resolved()
            let found = diagnostic.tree.frames.indices.map {
                ($0, [FoundFunction(name: "f", distance: 1, line: 7)])
            }
            edits += report.edits(
                with: diagnostic.symbolicated(Dictionary(uniqueKeysWithValues: found)),
                budget: &budget)
        }
        return String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
    }

    @Test("are read as without them", arguments: names, Prefix.allCases)
    func read(name: String, prefix: Prefix) throws {
        let text = try text(name)
        let plain = CrashFileReader().read(Array(text.utf8))
        let found = CrashFileReader().read(Array(log(text, prefix).utf8))
        try #require(!plain.reports.isEmpty)
        #expect(found.reports.map(\.format) == plain.reports.map(\.format))
        #expect(found.diagnostics.map(\.tree) == plain.diagnostics.map(\.tree))
        #expect(found.diagnostics.map(\.images) == plain.diagnostics.map(\.images))
        #expect(found.diagnostics.map(\.details) == plain.diagnostics.map(\.details))
    }

    @Test("are written with them", arguments: names, [Prefix.compose, .quote, .record])
    func same(name: String, prefix: Prefix) throws {
        let text = try text(name)
        let once = written(log(text, prefix))
        #expect(once == log(written(text), prefix))
        #expect(written(once) == once)
    }

    @Test(
        "are buffered in a stream, and other lines are passed on", arguments: names, Prefix.allCases
    )
    func stream(name: String, prefix: Prefix) throws {
        let text = try text(name)
        let others = log((0..<70).map { "tick \($0)\n" }.joined(), prefix)
        var stream = ReportStream()
        var (reportCount, frameCount) = (0, 0)
        var lines = ""
        for piece in stream.add(Array((others + log(text, prefix) + others).utf8)) + stream.end() {
            switch piece {
            case .lines(let bytes): lines += String(decoding: bytes, as: UTF8.self)
            case .report(let bytes):
                for diagnostic in CrashFileReader().read(bytes).diagnostics {
                    reportCount += 1
                    frameCount += diagnostic.tree.frames.count
                }
            case .cut: Issue.record("the report is cut")
            }
        }
        let plain = CrashFileReader().read(Array(text.utf8)).diagnostics
        #expect(reportCount == plain.count)
        #expect(frameCount == plain.reduce(0) { $0 + $1.tree.frames.count })
        #expect(lines.hasPrefix(others) && lines.hasSuffix(others))
    }

    @Test(
        "of several processes keep only the lines of one",
        arguments: ["web-2  |    1: strange::press\n", "db-1   | checkpoint complete\n"])
    func otherProcess(line: String) throws {
        let stack = log(try text("rust.txt"), .compose)
        let mixed = stack.split(separator: "\n").map { $0 + "\n" + line }.joined()
        let plain = CrashFileReader().read(Array(stack.utf8)).diagnostics
        let found = CrashFileReader().read(Array(mixed.utf8)).diagnostics
        #expect(found.map(\.tree) == plain.map(\.tree))
        #expect(found.map(\.details) == plain.map(\.details))
    }
}
