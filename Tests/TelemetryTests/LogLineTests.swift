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

    @Test(
        "times are written in ISO 8601 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func moments(milliseconds: Int64, text: String) {
        #expect(UnixTime(rawValue: milliseconds).text == text)
    }

    @Test("dates are correct for every day of a 400-year cycle")
    func calendar() {
        let style = Date.ISO8601FormatStyle().year().month().day()
        for day in Int64(0)..<146_097 {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            #expect(UnixTime(rawValue: day * 86_400_000).text.prefix(10) == date.formatted(style))
        }
    }
}
