import Foundation
import OTLP
import Problems
import SwiftProtobuf
import Testing

@Suite("IDs in JSON")
struct IdentifierTests {
    static let trace = "5b8efff798038103d269b633813fc60c"
    static let span = "eee19b7ec3c1b174"

    @Test("IDs are read in hexadecimal of either case", arguments: [trace, trace.uppercased()])
    func hexadecimal(trace: String) throws {
        let record = try logRecord(
            #"{"traceId":"\#(trace)","spanId":"\#(Self.span.uppercased())"}"#)
        #expect(
            Array(record.traceID) == [
                0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f,
                0xc6, 0x0c,
            ])
        #expect(Array(record.spanID) == [0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74])
    }

    @Test("every byte of an ID is written as two lower-case digits and read back")
    func everyByte() throws {
        for start in stride(from: 0, to: 256, by: 16) {
            let record = LogRecord.with { $0.traceID = Data((start..<start + 16).map(UInt8.init)) }
            let json = try record.request.encoded(as: .json)
            let digits = record.traceID.map { String(format: "%02x", $0) }.joined()
            #expect(String(decoding: json, as: UTF8.self).contains(#""traceId":"\#(digits)""#))
            #expect(try ExportLogsServiceRequest(decoding: json, as: .json) == record.request)
        }
    }

    @Test("a missing ID, an empty one and null are the same")
    func empty() throws {
        for record in [#"{"traceId":"","spanId":""}"#, #"{"traceId":null}"#, "{}"] {
            #expect(try logRecord(record) == LogRecord())
        }
    }

    @Test(
        "an ID that is not hexadecimal of the right length is an error",
        arguments: [
            String(trace.dropLast()), trace + "00", String(trace.dropLast(2)), span,
            trace.replacing("5", with: "g"), trace.replacing("5", with: "/"),
            // The same id in base64, as protobuf's JSON mapping has it.
            "W47/95gDgQPSabYzgT/GDA==", "00",
        ])
    func malformed(trace: String) {
        let error = #expect(throws: OTLPError.self) {
            try logRecord(#"{"traceId":"\#(trace)"}"#)
        }
        #expect(error?.reason == .identifier)
        #expect(
            error?.description == "resourceLogs[0].scopeLogs[0].logRecords[0].traceId: "
                + "is not 32 hexadecimal digits: write ids in hexadecimal, not base64")
    }

    @Test("an ID that is not even base64 is an error")
    func noDigits() {
        for trace in [Self.trace + "0", "zz!!", "5b8e-ff\\u0066", "{}"] {
            #expect(throws: OTLPError.self) { try logRecord(#"{"traceId":"\#(trace)"}"#) }
        }
        #expect(throws: OTLPError.self) { try logRecord(#"{"traceId":5}"#) }
    }

    @Test("an ID of a wrong length is omitted from JSON and kept in protobuf", arguments: 1..<40)
    func wrongLength(count: Int) throws {
        let record = LogRecord.with {
            $0.traceID = Data(repeating: 0xab, count: count)
            $0.spanID = Data(repeating: 0xcd, count: count)
        }
        let json = String(decoding: try record.request.encoded(as: .json), as: UTF8.self)
        #expect(json.contains("traceId") == (count == 16))
        #expect(json.contains("spanId") == (count == 8))
        let protobuf = try record.request.encoded(as: .protobuf)
        #expect(try ExportLogsServiceRequest(decoding: protobuf, as: .protobuf) == record.request)
    }

    @Test(
        "an invalid ID of a span, its parent or links is reported with its path",
        arguments: [
            ("{}, {\"traceId\":\"ab\"}", "spans[1].traceId"),
            ("{\"spanId\":\"ab\"}", "spans[0].spanId"),
            ("{\"parentSpanId\":\"ab\"}", "spans[0].parentSpanId"),
            ("{\"links\":[{},{\"traceId\":\"ab\"}]}", "spans[0].links[1].traceId"),
            ("{\"links\":[{\"spanId\":\"ab\"}]}", "spans[0].links[0].spanId"),
        ])
    func spans(spans: String, place: String) {
        let json = #"{"resourceSpans":[{"scopeSpans":[{},{"spans":[\#(spans)]}]}]}"#
        let error = #expect(throws: OTLPError.self) {
            try ExportTraceServiceRequest(decoding: Array(json.utf8), as: .json)
        }
        #expect(
            error?.description.hasPrefix("resourceSpans[0].scopeSpans[1].\(place): is not") == true)
    }

    @Test(
        "exemplars of every kind of metric are converted",
        arguments: ["gauge", "sum", "histogram", "exponentialHistogram"])
    func exemplars(kind: String) throws {
        func request(_ trace: String) -> [UInt8] {
            let exemplar = #"{"spanId":"\#(Self.span)","traceId":"\#(trace)"}"#
            let metric = #"{"\#(kind)":{"dataPoints":[{"exemplars":[{},\#(exemplar)]}]}}"#
            return Array(#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[\#(metric)]}]}]}"#.utf8)
        }
        let message = try ExportMetricsServiceRequest(decoding: request(Self.trace), as: .json)
        #expect(try message.encoded(as: .json) == request(Self.trace))
        let error = #expect(throws: OTLPError.self) {
            try ExportMetricsServiceRequest(decoding: request(Self.span), as: .json)
        }
        #expect(
            error?.description.hasPrefix(
                "resourceMetrics[0].scopeMetrics[0].metrics[0].\(kind).dataPoints[0]"
                    + ".exemplars[1].traceId: is not 32") == true)
    }
}
