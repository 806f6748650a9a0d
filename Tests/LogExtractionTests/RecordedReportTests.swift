import CallStacks
import Foundation
import JSONText
import MetricKitPayloads
import ReportFixtures
import Testing

@testable import LogExtraction
@testable import ReportFormats

/// Apple's reports in strings of other JSON: one in one string, or spread over the records of a
/// log.
@Suite("Reports in strings")
struct RecordedReportTests {
    private static let files = ["divide-by-zero.report.ips", "objc-block.legacy.crash"]

    private func quoted(_ text: some StringProtocol) -> String {
        var writer = JSONWriter()
        writer.string(String(text))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// A record for each line of a text, preceded by an unrelated record.
    private func log(_ text: String, key: String) -> String {
        let records = lines(text).enumerated().map { number, line in
            "{\"time\":\(number),\"\(key)\":\(quoted(line)),\"stream\":\"stderr\"}\n"
        }
        return "{\"time\":0,\"\(key)\":\"Process: is running\"}\n" + records.joined()
    }

    /// The texts of all records of a log except the first.
    private func texts(_ log: [UInt8], key: String) throws -> String {
        try log.text.split(separator: "\n").dropFirst().map { line in
            let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(record?["stream"] as? String == "stderr")
            return try #require(record?[key] as? String)
        }.joined(separator: "\n")
    }

    @Test(
        "a report in a log gets functions and lines, each line in its own record", arguments: files)
    func records(name: String) async throws {
        let report = try OrchardSymbols.fixture(name)
        let expected = await OrchardSymbols.written(report).text
        for key in ["log", "message"] {
            let written = await OrchardSymbols.written(bytes(log(report.text, key: key)))
            #expect(try texts(written, key: key) == expected)
            #expect(await OrchardSymbols.written(written) == written)
        }
    }

    @Test("a report in one record with line breaks stays in that record", arguments: files)
    func record(name: String) async throws {
        let report = try OrchardSymbols.fixture(name)
        let expected = await OrchardSymbols.written(report).text
        let log = "{\"a\":1,\"message\":\(quoted(report.text)),\"b\":2}\n{\"message\":\"x\"}\n"
        let written = await OrchardSymbols.written(bytes(log)).text
        #expect(
            written
                == "{\"a\":1,\"message\":\(quoted(expected)),\"b\":2}\n{\"message\":\"x\"}\n")
    }

    @Test("a report in a string of App Store Connect gets functions", arguments: files)
    func betaLog(name: String) async throws {
        let report = try OrchardSymbols.fixture(name)
        let expected = await OrchardSymbols.written(report).text
        let text = "{\"data\": {\"attributes\": {\"logText\": \(quoted(report.text))}}, \"x\": 1}"
        let file = CrashFileReader().read(bytes(text))
        #expect(file.reports.map(\.range) == [0..<text.utf8.count])
        let written = await OrchardSymbols.written(bytes(text))
        #expect(written.text == text.replacing(quoted(report.text), with: quoted(expected)))
        #expect(await OrchardSymbols.written(written) == written)
    }

    @Test("escapes stay unchanged outside of edits")
    func escapes() throws {
        let frame = #"0   Orchard   0x0000000000001010 0x1000 + 16 \u0041\/"#
        let images = #"0x1000 - 0x2fff Orchard arm64 <4c4c448155553144a199bfceae3fe729> \/A"#
        let log =
            #"Process: \u00e9\nPath: \/A\nThread 0:\n\#(frame)\n\nBinary Images:\n\#(images)\n"#
        let text = #"{"data":{"attributes":{"logText":"\#(log)"}}}"#
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = report.resolved().symbolicated([0: [.init(name: "eat", distance: 8)]])
        let written = report.edits(with: result).applied(to: bytes(text)).text
        #expect(written == text.replacing(#"0x1000 + 16 \u0041\/"#, with: "eat + 8"))
    }

    @Test("lines of a log that only resemble a report are not one")
    func others() {
        let log = log("Thread 0 is busy\nBinary Images: none\nProcess: x", key: "message")
        let file = CrashFileReader().read(bytes(log))
        #expect(file.reports.isEmpty)
        #expect(file.remarks.isEmpty)
    }

    @Test("a log with more lines than the limit is read up to the limit")
    func manyLines() throws {
        let line = "{\"message\":\"\"}\n"
        let start = log("Thread 0:\n0 Orchard 0x1010 eat + 8", key: "message")
        let count = JoinedRecords.linesLimit - start.split(separator: "\n").count
        for (more, remarks) in [(0, []), (1, [Remark.sizeLimit])] {
            let text = start + String(repeating: line, count: count + more - 1)
            let file = CrashFileReader().read(bytes(text))
            #expect(file.diagnostics.map(\.tree.frames.count) == [1])
            #expect(file.remarks == remarks)
        }
    }

    @Test("records that exceed the budget add no lines to a log")
    func budget() throws {
        let text = log("Thread 0:\n0 Orchard 0x1010 eat + 8", key: "message")
            .replacing("\"stderr\"", with: quoted(String(repeating: "x", count: 1_000)))
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = report.resolved().symbolicated([
            0: [.init(name: "peel", isInlined: true), .init(name: "eat")]
        ])
        for (byteCount, isWritten) in [(1_000, false), (4_000, true)] {
            var budget = EditBudget(bytes: byteCount)
            #expect(report.edits(with: result, budget: &budget).isEmpty != isWritten)
        }
    }
}
