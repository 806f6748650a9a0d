import Foundation
import OTLP
import Problems
import SwiftProtobuf
import TestSupport
import Testing

@Suite("Enumerations beyond 32 bits")
struct EnumerationTests {
    /// Requests with an enumeration in each field of that type, and the path of that field.
    static let places: [(request: String, type: any OTLPMessage.Type, path: String)] = [
        (
            ##"{"resourceLogs":[{},{"scopeLogs":[{"logRecords":[{},{"severityNumber":#}]}]}]}"##,
            ExportLogsServiceRequest.self,
            "resourceLogs[1].scopeLogs[0].logRecords[1].severityNumber"
        ),
        (span(##""kind":#"##), ExportTraceServiceRequest.self, spanPath + "kind"),
        (span(##""status":{"code":#}"##), ExportTraceServiceRequest.self, spanPath + "status.code"),
        (metric("sum"), ExportMetricsServiceRequest.self, metricPath("sum")),
        (metric("histogram"), ExportMetricsServiceRequest.self, metricPath("histogram")),
        (
            metric("exponentialHistogram"), ExportMetricsServiceRequest.self,
            metricPath("exponentialHistogram")
        ),
    ]

    private static func span(_ field: String) -> String {
        #"{"resourceSpans":[{"scopeSpans":[{"spans":[{\#(field)}]}]}]}"#
    }

    private static let spanPath = "resourceSpans[0].scopeSpans[0].spans[0]."

    private static func metric(_ kind: String) -> String {
        #"{"resourceMetrics":[{"scopeMetrics":[{},{"metrics":[{"\#(kind)":"#
            + ##"{"aggregationTemporality":#}}]}]}]}"##
    }

    private static func metricPath(_ kind: String) -> String {
        "resourceMetrics[0].scopeMetrics[1].metrics[0].\(kind).aggregationTemporality"
    }

    @Test(
        "a number that does not fit is refused with the path of its field",
        arguments: [
            "4611686018427387904", "2147483648", "-2147483649", "9223372036854775807",
            "-9223372036854775808", "1e18", "4611686018427387904.0",
        ])
    func beyond(number: String) throws {
        for (request, type, path) in Self.places {
            let json = Array(request.replacing("#", with: number).utf8)
            let error = #expect(throws: OTLPError.self) {
                try type.reencoded(json, from: .json, to: .protobuf)
            }
            #expect(error?.reason == .enumeration)
            let text = error?.description ?? ""
            #expect(text.hasPrefix("\(path): "), "\(text)")
            #expect(text.hasSuffix("does not fit in 32 bits: send a number of the enumeration"))
        }
    }

    @Test("every 32-bit number is kept", arguments: [0, 1, 99, -1, Int32.min, .max])
    func within(number: Int32) throws {
        for (request, type, _) in Self.places {
            let json = Array(request.replacing("#", with: "\(number)").utf8)
            let bytes = try type.reencoded(json, from: .json, to: .protobuf)
            #expect(
                try type.reencoded(bytes, from: .protobuf, to: .json)
                    == type.reencoded(json, from: .json, to: .json))
        }
    }

    @Test("a number beyond 64 bits is an error, a string that is not a name counts as absent")
    func others() throws {
        for (request, type, _) in Self.places {
            let json = Array(request.replacing("#", with: "4611686018427387904e9").utf8)
            #expect(throws: OTLPError.self) {
                try type.reencoded(json, from: .json, to: .protobuf)
            }
            let name = Array(request.replacing("#", with: "\"4611686018427387904\"").utf8)
            #expect(
                try type.reencoded(name, from: .json, to: .protobuf)
                    == type.reencoded(
                        Array(request.replacing("#", with: "0").utf8), from: .json, to: .protobuf))
        }
    }

    @Test("the first of three hundred numbers that do not fit is named")
    func many() {
        let records = Array(repeating: #"{"severityNumber":4611686018427387904}"#, count: 300)
        let error = #expect(throws: OTLPError.self) {
            try ExportLogsServiceRequest(
                decoding: logsRequest(record: records.joined(separator: ",")), as: .json)
        }
        #expect(error?.description.contains("logRecords[0].severityNumber: ") == true)
    }

    @Test("the lower 32 bits of a longer number in protobuf count, as for every other reader")
    func protobuf() throws {
        let wide: [[UInt8]] = [
            // 2^62 + 21; -1, which is ten bytes long; 21 in ten bytes.
            [0x95, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40],
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            [0x95, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
        ]
        for (number, value) in zip(wide, [21, -1, 21]) {
            let record = [0x10] + number
            let scope = [0x12, UInt8(record.count)] + record
            let resource = [0x12, UInt8(scope.count)] + scope
            let request = try ExportLogsServiceRequest(
                decoding: [0x0a, UInt8(resource.count)] + resource, as: .protobuf)
            let decoded = try #require(
                request.resourceLogs.first?.scopeLogs.first?.logRecords.first)
            #expect(decoded.severityNumber.rawValue == value)
            let bytes = try request.encoded(as: .protobuf)
            #expect(StrictProtobufScanner.accepts(bytes, row: 0))
            #expect(try ExportLogsServiceRequest(decoding: bytes, as: .protobuf) == request)
        }
    }

    @Test("every enumeration in a message is checked")
    func generatedFields() throws {
        let folder = projectFolder.appendingPathComponent("Sources/OTLP/Generated")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        let fields = try files.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains("EnumField(value: &") && $0.contains("decode") }
        }
        #expect(fields.count == Self.places.count)
    }
}
