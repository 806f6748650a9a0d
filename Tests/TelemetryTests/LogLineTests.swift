import CallStacks
import Foundation
import Logging
import Testing

@testable import Telemetry

@Suite("A line of the log")
struct LogLineTests {
    func line(_ message: String, _ metadata: [String: String] = [:]) -> LogLine {
        LogLine(
            time: UnixTime(rawValue: 1_769_851_800_125), level: .warning, label: "symbolist.ingest",
            message: message, metadata: metadata)
    }

    func text(_ line: LogLine, _ format: LogFormat) -> String {
        String(decoding: line.bytes(as: format), as: UTF8.self)
    }

    @Test("as text it contains time, level, logger, message and sorted metadata")
    func asText() {
        let line = line(
            "queue: is full", ["exporter": "otlp", "a": "two words", "b": "", "c": "\"\\"])
        let expected =
            "2026-01-31T09:30:00.125Z warning symbolist.ingest: queue: is full "
            + #"a="two words" b="" c="\"\\" exporter=otlp"# + "\n"
        #expect(text(line, .text) == expected)
    }

    @Test("as JSON it is one object")
    func asJSON() {
        let expected =
            #"{"timestamp":"2026-01-31T09:30:00.125Z","level":"warning","#
            + #""logger":"symbolist.ingest","message":"a\nb \"c\"","metadata":{"k":"v"}}"# + "\n"
        #expect(text(line("a\nb \"c\"", ["k": "v"]), .json) == expected)
        #expect(!text(line("a"), .json).contains("metadata"))
    }

    @Test("no text starts another line or moves the cursor")
    func controlCharacters() {
        let line = line("a\nb\u{1b}[2J\r", ["k\n": "v\nw"])
        #expect(
            text(line, .text).hasSuffix(": a b\u{fffd}[2J\u{fffd} k =\"v w\"\n"),
            "\(text(line, .text))")
    }

    @Test("a line beyond the limit keeps the start of its message")
    func longLine() throws {
        let tooLong = String(repeating: "é\u{1}", count: LogLine.bytesLimit)
        for format in LogFormat.allCases {
            for line in [line(tooLong), line("m", ["k": tooLong]), line(tooLong, ["k": tooLong])] {
                let bytes = line.bytes(as: format)
                #expect(bytes.count <= LogLine.bytesLimit)
                #expect(bytes.last == UInt8(ascii: "\n"))
                #expect(String(decoding: bytes, as: UTF8.self).contains("…"))
            }
        }
        let json = line(tooLong).bytes(as: .json)
        let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: String]
        #expect(object?["message"]?.hasPrefix("é\u{1}é") == true)
    }
}
