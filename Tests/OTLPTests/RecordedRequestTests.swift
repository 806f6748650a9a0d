import Foundation
import OTLP
import Testing

@Suite("Requests of another SDK")
struct RecordedRequestTests {
    @Test("both encodings have the same content", arguments: RecordedRequest.allCases)
    func encodingsAgree(request: RecordedRequest) throws {
        let protobuf = try request.bytes(.protobuf)
        let json = try request.bytes(.json)
        #expect(try request.type.reencoded(json, from: .json, to: .protobuf) == protobuf)
    }

    @Test("protobuf is written unchanged", arguments: RecordedRequest.allCases)
    func protobuf(request: RecordedRequest) throws {
        let bytes = try request.bytes(.protobuf)
        #expect(try request.type.reencoded(bytes, from: .protobuf, to: .protobuf) == bytes)
    }

    @Test("JSON is written as by the SDK", arguments: RecordedRequest.allCases)
    func json(request: RecordedRequest) throws {
        let expected = try tree(request.bytes(.json))
        for source in OTLPEncoding.allCases {
            let bytes = try request.type.reencoded(
                request.bytes(source), from: source, to: .json)
            #expect(try tree(bytes) == expected)
        }
    }

    @Test("the log record has the values passed to the SDK")
    func record() throws {
        let request = try ExportLogsServiceRequest(
            decoding: RecordedRequest.logs.bytes(.json), as: .json)
        let record = try #require(request.resourceLogs.first?.scopeLogs.first?.logRecords.first)
        #expect(record.timeUnixNano == 1_763_800_000_123_456_789)
        #expect(record.severityNumber == .fatal)
        #expect(record.eventName == "metrickit.diagnostic.crash")
        #expect(record.attributes["address"]?.integer == 9_007_199_254_740_993)
        #expect(record.attributes["negative"]?.integer == .min)
        #expect(record.attributes["share"] == .doubleValue(0.1))
        #expect(record.attributes["foreground"] == .boolValue(true))
        #expect(record.attributes["names"] == .strings(["Orchard", "OrchardKit"]))
        #expect(record.attributes["empty"]?.string == "")
        #expect(
            record.attributes["exception.stacktrace"]?.string
                == #"{"callStacks": [{"name": "Obstäpfel 🍎"}]}"#)
        #expect(record.body.kvlistValue.values["raw"] == .bytesValue(Data([0, 0xff, 0x10])))
    }

    private func tree(_ bytes: [UInt8]) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }
}
