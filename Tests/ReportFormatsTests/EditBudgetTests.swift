import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFixtures
import Testing

@testable import ReportFormats

@Suite("Edit budgets")
struct EditBudgetTests {
    private static let trace = """
        *** Program crashed: Illegal instruction at 0x0000000000401000 ***
        Thread 0 "orchard" crashed:
        0      0x0000000000401000
        1 [ra] 0x0000000000401010
        Thread 1:
        0      0x0000000000401020
        Images:
        0x0000000000400000–0x0000000000402000 58c59e1e0b84bfb608500aab85635a597b6fd64b orchard /app/orchard
        Backtrace took 0.01s

        """
    private static let object =
        #"{ "kind": "crashReport", "threads": [{ "frames": ["#
        + #"{ "kind": "programCounter", "address": "0x401000" }, "#
        + #"{ "kind": "returnAddress", "address": "0x401010" }, "#
        + #"{ "kind": "returnAddress", "address": "0x401020" }] }], "#
        + #""images": [{ "name": "orchard", "buildId": "58c59e1e0b84bfb608500aab85635a597b6fd64b", "#
        + #""baseAddress": "0x400000", "endOfText": "0x402000" }] }"#
    private static let record =
        #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"#
        + #""exception.stacktrace","value":{"stringValue":"{\"callStacks\":[{\"#
        + #""callStackRootFrames\":[{\"binaryUUID\":\"4C4C4481-5555-3144-A199-BFCEAE3FE729\","#
        + #"\"offsetIntoBinaryTextSegment\":16}]}]}"}}]}]}]}]}"#

    private func written(_ text: String, byteCount: Int) throws -> String {
        var budget = EditBudget(bytes: byteCount)
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = report.resolved().symbolicated([
            0: [.init(name: "peel", line: 3)], 1: [.init(name: "wash", line: 4)],
            2: [.init(name: "eat", line: 5)],
        ])
        return report.edits(with: result, budget: &budget).applied(to: bytes(text)).text
    }

    @Test("a backtrace table that exceeds the budget is kept as a whole")
    func tables() throws {
        let text = Self.trace
        #expect(try written(text, byteCount: 0) == text)
        #expect(try written(text, byteCount: 500) == text)
        let first = try written(text, byteCount: 700)
        #expect(first.contains("peel") && first.contains("wash") && !first.contains("eat"))
        #expect(try written(text, byteCount: 2_000).contains("eat"))
    }

    @Test("unresolved rows of a table count towards the budget")
    func unanswered() throws {
        let rows = (0..<1_000).map { "\($0) 0x0000000000401010\n" }.joined()
        let text = Self.trace.replacing("1 [ra] 0x0000000000401010\n", with: rows)
            .replacing(" orchard ", with: " " + String(repeating: "o", count: 1_000) + " ")
        #expect(try written(text, byteCount: 1_000_000) == text)
        #expect(try written(text, byteCount: 2_000_000).utf8.count > 1_000_000)
    }

    @Test("one long attribute does not widen a table")
    func attributes() throws {
        let word = String(repeating: "a", count: 10_000)
        let text = Self.trace.replacing("[ra] ", with: "[ra] [\(word)] ")
        #expect(try written(text, byteCount: 100_000).utf8.count < text.utf8.count + 1_000)
    }

    @Test("objects of a JSON backtrace are written one by one until the budget is spent")
    func objects() throws {
        #expect(try written(Self.object, byteCount: 0) == Self.object)
        let first = try written(Self.object, byteCount: 600)
        #expect(first.contains("peel") && !first.contains("wash"))
        #expect(try written(Self.object, byteCount: 2_000).contains("eat"))
    }

    @Test("a log record that exceeds the budget is kept as a whole")
    func records() throws {
        #expect(try written(Self.record, byteCount: 100) == Self.record)
        #expect(try written(Self.record, byteCount: 1_000).contains("symbolist.status"))
    }

    @Test("all reports of a file share one budget")
    func reports() throws {
        var budget = EditBudget(bytes: 900)
        let text = Self.trace + Self.trace
        let file = CrashFileReader().read(bytes(text))
        let edits = file.reports.flatMap { report in
            report.edits(
                with: report.resolved().symbolicated([0: [.init(name: "peel")]]), budget: &budget)
        }
        #expect(file.reports.count == 2)
        #expect(!edits.isEmpty)
        let end = try #require(file.reports.first).range.upperBound
        #expect(edits.allSatisfy { $0.range.upperBound <= end })
    }
}
