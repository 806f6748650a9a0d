import CallStacks
import Foundation
import JSONText
import LogExtraction
import Redaction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Reports in the text around which they are pasted or logged.
@Suite("Redaction of wrapped reports")
struct WrappedReportTests {
    /// A form in which a report is pasted or logged.
    struct Wrapping: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var wrap: @Sendable (String) -> String
        /// Returns the report in a wrapped one.
        var unwrap: @Sendable (String) -> String
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    private static func prefix(_ prefix: String) -> Wrapping {
        Wrapping(testDescription: "prefix \(prefix)") {
            lines($0).map { "\(prefix)\($0)\n" }.joined()
        } unwrap: {
            lines($0).map { "\($0.dropFirst(prefix.count))\n" }.joined()
        }
    }

    private static func surroundings(_ before: String, _ after: String) -> Wrapping {
        Wrapping(testDescription: "after \(before)") {
            before + $0 + after
        } unwrap: {
            String($0.dropFirst(before.count).dropLast(after.count))
        }
    }

    private static func json(_ text: String) -> String {
        String(decoding: Array(json: text), as: UTF8.self)
    }

    private static func records(_ key: String) -> Wrapping {
        Wrapping(testDescription: "records with \(key)") {
            lines($0).map { "{\"\(key)\":\(json("\($0)\n")),\"stream\":\"stderr\"}\n" }.joined()
        } unwrap: {
            lines($0).compactMap { JSONDocument(bytes(String($0))).root?[key]?.string }.joined()
        }
    }

    private static let record = Wrapping(testDescription: "one record") {
        "{\"message\":\(json($0)),\"level\":\"error\"}\n"
    } unwrap: {
        JSONDocument(bytes($0)).root?["message"]?.string ?? ""
    }

    private static let logText = Wrapping(testDescription: "logText") {
        "{\"data\":{\"attributes\":{\"logText\":\(json($0))}}}"
    } unwrap: {
        JSONDocument(bytes($0)).root?["data"]?["attributes"]?["logText"]?.string ?? ""
    }

    static let all = [
        prefix("> "), prefix("> > "), surroundings("Crash of my app:\n", ""),
        surroundings("Hello\n```\n", "\n```\n"), surroundings("2026-01-01 12:00:00 INFO up\n", ""),
        records("log"), records("message"), record, logText,
    ]

    private static let reports = [
        PrivateReport.crash.text, PrivateReport.ips.text, oneLine(PrivateReport.ips.text),
    ]

    /// Returns an `.ips` report with its body on one line.
    private static func oneLine(_ report: String) -> String {
        let end = report.range(of: "\n}\n")?.upperBound ?? report.endIndex
        let header = report.prefix { $0 != "\n" }
        return header + "\n"
            + report[..<end].dropFirst(header.count).replacing("\n", with: "")
            + "\n" + report[end...]
    }

    private static func redacted(_ text: String, _ level: RedactionLevel) -> String {
        FileRedaction(level).redacted(bytes(text), readAs: CrashFileReader().read(bytes(text)))
            .text
    }

    @Test(
        "a wrapped report is redacted as it is without its wrapping", arguments: all, reports)
    func same(wrapping: Wrapping, report: String) throws {
        for level in RedactionTests.levels {
            let redacted = Self.redacted(wrapping.wrap(report), level)
            // A removed last line leaves an empty record.
            let (own, expected) = (wrapping.unwrap(redacted), Self.redacted(report, level))
            #expect(own.split(separator: "\n") == expected.split(separator: "\n"), "\(redacted)")
            let before = CrashFileReader().read(bytes(report)).diagnostics
            let after = CrashFileReader().read(bytes(redacted)).diagnostics
            #expect(before.map(\.tree.frames) == after.map(\.tree.frames))
            #expect(before.map { $0.images.map(\.id) } == after.map { $0.images.map(\.id) })
        }
    }

    @Test("other fields of a record with a report are redacted", arguments: RedactionTests.levels)
    func fields(level: RedactionLevel) {
        let log = Self.lines(PrivateReport.crash.text).map {
            "{\"message\":\(Self.json(String($0))),\"user.id\":\"jane\"}\n"
        }
        let redacted = Self.redacted(log.joined(separator: "up\n"), level)
        #expect(!redacted.contains("jane") && redacted.contains("+ 17540"), "\(redacted)")
    }

    @Test(
        "a JSON object in the message of a report is part of the message",
        arguments: ["{\"a\": \"orchid\"}", "{\n    a = orchid;\n}"])
    func message(text: String) {
        let report = PrivateReport.crash.text.replacing("\n\nand orchid", with: "\n\n\(text)")
        #expect(report.contains(text))
        #expect(!Self.redacted(report, .strict).contains("orchid"))
    }

    private static let ips = oneLine(PrivateReport.ips.text)

    @Test(
        "a report in a string of JSON is redacted as JSON, even if it is damaged",
        arguments: [
            ips, String(ips.dropLast(400)), ips.replacing("}\n\nSystem", with: ",}\n\nSystem"),
            "Crash of my app:\n\(ips)", "\u{feff}\(ips)",
            ips.replacing("\"os_ver", with: "\n\"os_"),
            PrivateReport.ips.text, String(PrivateReport.ips.text.dropLast(600)),
        ])
    func string(report: String) throws {
        let record = "{\"note\":\(Self.json(report))}"
        for level in RedactionTests.levels {
            let file = FileRedaction(level).redacted(bytes(record), readAs: CrashFile())
            let text = try #require(JSONDocument(file).root?["note"]?.string)
            for secret in ["jane", "D0D0CAFE", "8f2e11a7"] {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
            #expect(text.contains("4372742144") || !report.contains("4372742144"))
            #expect(!text.contains("\": redacted") && !text.contains("\":redacted"), "\(text)")
        }
    }

    @Test("Swift's JSON after its message is redacted as JSON in a string")
    func swift() throws {
        let report = try #require(
            JSONDocument(bytes(String(PrivateReport.swiftObject.text.split(separator: "\n")[2])))
                .root?["log"]?.string)
        let text = "main.swift:4: Fatal error: a@b.example\n\(report)"
        let record = "{\"note\":\(Self.json(text))}"
        for level in RedactionTests.levels {
            let file = FileRedaction(level).redacted(bytes(record), readAs: CrashFile())
            let redacted = try #require(JSONDocument(file).root?["note"]?.string)
            #expect(!redacted.contains("jane") && !redacted.contains("a@b"), "\(redacted)")
            let object = redacted.drop { $0 != "{" }
            #expect(JSONDocument(bytes(String(object))).failure == nil)
        }
    }

    @Test(
        "the value of an attribute of OpenTelemetry keeps its type's form",
        arguments: ["stack", "vars", "registers", "threadState"])
    func attribute(key: String) {
        for value in [
            #"{"stringValue":"orchid"}"#, #"{"intValue":"7"}"#, #"{"boolValue":true}"#, "{}",
            #"{"kvlistValue":{"values":[{"key":"a","value":{"stringValue":"orchid"}}]}}"#,
        ] {
            let text = #"{"resourceLogs":[{"key":"\#(key)","value":\#(value)}]}"#
            let redacted = FileRedaction(.strict).redacted(bytes(text), readAs: CrashFile()).text
            let expected = #"{"stringValue":"redacted"}"#
            #expect(redacted == text.replacing(value, with: expected), "\(redacted)")
        }
        let other = #"{"threads":[{"key":"\#(key)","value":{"x0":7}}]}"#
        #expect(
            FileRedaction(.strict).redacted(bytes(other), readAs: CrashFile()).text
                == #"{"threads":[{"key":"\#(key)","value":"redacted"}]}"#)
    }

    @Test(
        "redaction is linear for objects that are not reports",
        arguments: ["{\n", "{\"a\":\n", "{\"a\":\"\n", "{\"bug_type\":\n", "{\"a\":1}\n"])
    func linear(line: String) {
        let text = "Process:   a [1]\n" + String(repeating: line, count: 20_000)
        let record = "{\"note\":\(Self.json(text))}"
        let clock = ContinuousClock()
        let duration = clock.measure {
            _ = Self.redacted(text + PrivateReport.crash.text, .strict)
            _ = FileRedaction(.strict).redacted(bytes(record), readAs: CrashFile())
        }
        #expect(duration < .seconds(60))
    }
}
