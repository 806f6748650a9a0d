import Foundation
import OTLP
import Problems
import SwiftProtobuf
import Testing

@Suite("OTLP's JSON mapping")
struct JSONMappingTests {
    @Test("enumerations are read as numbers and as names, and written as numbers")
    func enumerations() throws {
        for severity in ["21", #""SEVERITY_NUMBER_FATAL""#] {
            let record = try logRecord(#"{"severityNumber":\#(severity)}"#)
            #expect(record.severityNumber == .fatal)
            let json = try record.request.encoded(as: .json)
            #expect(json == logsRequest(record: #"{"severityNumber":21}"#))
        }
    }

    @Test("an unknown number of an enumeration is kept, an unknown name is not")
    func unknownEnumerations() throws {
        let record = try logRecord(#"{"severityNumber":99}"#)
        #expect(record.severityNumber == .UNRECOGNIZED(99))
        #expect(
            try record.request.encoded(as: .json) == logsRequest(record: #"{"severityNumber":99}"#))
        #expect(try logRecord(#"{"severityNumber":"LOUD"}"#).severityNumber == .unspecified)
    }

    @Test("64-bit integers are read as strings and as numbers, and written as strings")
    func integers() throws {
        for time in [#""18446744073709551615""#, "18446744073709551615"] {
            let record = try logRecord(#"{"timeUnixNano":\#(time)}"#)
            #expect(record.timeUnixNano == .max)
            #expect(
                try record.request.encoded(as: .json)
                    == logsRequest(record: #"{"timeUnixNano":"18446744073709551615"}"#))
        }
        for value in [#""-9223372036854775808""#, "-9223372036854775808"] {
            #expect(try logRecord(#"{"body":{"intValue":\#(value)}}"#).body.intValue == .min)
        }
        for value in ["9223372036854775808", #""1x""#, "1.5", #""""#] {
            #expect(throws: OTLPError.self) { try logRecord(#"{"body":{"intValue":\#(value)}}"#) }
        }
    }

    @Test("bytes are in base64, with or without padding")
    func bytes() throws {
        for text in ["AP8QIA==", "AP8QIA", "AP8QIA"] {
            let body = try logRecord(#"{"body":{"bytesValue":"\#(text)"}}"#).body
            #expect(body.bytesValue == Data([0, 0xff, 0x10, 0x20]))
        }
    }

    @Test("unknown fields are dropped, whatever their content")
    func unknownFields() throws {
        let values = [
            "1", "-1.5e3", #""text""#, "null", "true", "[]", "{}", #"{"a":[{"b":"\u0041\"}"}]}"#,
            "[[1],[2,[3]]]",
        ]
        for value in values {
            let record = try logRecord(#"{"later":\#(value),"eventName":"e","more":\#(value)}"#)
            #expect(record == .with { $0.eventName = "e" })
        }
    }

    @Test("null is the same as no field")
    func null() throws {
        let record = try logRecord(
            #"{"body":null,"attributes":null,"eventName":null,"timeUnixNano":null,"flags":null}"#)
        #expect(record == LogRecord())
    }

    @Test("strings keep every character, escaped or not")
    func strings() throws {
        let text = "\u{0}\u{1f}\"\\/\u{7f}ä\u{2028}🍎\r\n"
        let record = LogRecord.with { $0.eventName = text }
        let json = try record.request.encoded(as: .json)
        #expect(try ExportLogsServiceRequest(decoding: json, as: .json) == record.request)
        #expect(try logRecord(#"{"eventName":"\ud83c\udf4e\u0000"}"#).eventName == "🍎\u{0}")
    }

    @Test(
        "invalid logs requests have specific errors",
        arguments: [
            ("", "JSON is truncated"), ("{", "JSON is truncated"),
            ("[]", "is not OTLP JSON"),
            ("{} {}", "JSON has text after its end"), ("\u{0}", "is not OTLP JSON"),
            (#"{"resourceLogs":[null]}"#, "a message is null"),
            (
                #"{"resourceLogs":[{"schemaUrl":5}]}"#,
                "a string, id or base64 value is malformed or missing"
            ),
            (
                #"{"resourceLogs":[{"schemaUrl":"\uzzzz"}]}"#,
                "a string, id or base64 value is malformed or missing"
            ),
        ])
    func malformed(text: String, problem: String) {
        let error = #expect(throws: OTLPError.self) {
            try ExportLogsServiceRequest(decoding: Array(text.utf8), as: .json)
        }
        #expect(error?.reason == .malformed)
        #expect(
            error?.description == "logs request: \(problem): see the JSON encoding of OTLP")
    }
}
