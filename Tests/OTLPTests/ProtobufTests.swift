import OTLP
import Problems
import SwiftProtobuf
import Testing

@Suite("OTLP in protobuf")
struct ProtobufTests {
    /// Field 1000, a string, which no version of OTLP has.
    static let unknownField: [UInt8] = [0xc2, 0x3e, 0x03, 0x6e, 0x65, 0x77]

    @Test("unknown fields are written again, at every level")
    func unknownFields() throws {
        func message(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            [tag, UInt8(content.count)] + content
        }
        let name = message(0x62, Array("crash".utf8))
        let record = message(0x12, name + Self.unknownField)
        let scope = message(0x12, record + Self.unknownField)
        let resource = message(0x0a, scope + Self.unknownField)
        let bytes = resource + Self.unknownField
        let request = try ExportLogsServiceRequest(decoding: bytes, as: .protobuf)
        let decoded = try #require(
            request.resourceLogs.first?.scopeLogs.first?.logRecords.first)
        #expect(decoded.eventName == "crash")
        #expect(try request.encoded(as: .protobuf) == bytes)
    }

    @Test("a changed record keeps its unknown fields")
    func changed() throws {
        let bytes: [UInt8] = [0x0a, 0x0a, 0x12, 0x08, 0x12, 0x06] + Self.unknownField
        var request = try ExportLogsServiceRequest(decoding: bytes, as: .protobuf)
        let records = try #require(request.resourceLogs.first?.scopeLogs.first?.logRecords)
        try #require(!records.isEmpty)
        request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes["k"] = .boolValue(true)
        let again = try ExportLogsServiceRequest(
            decoding: request.encoded(as: .protobuf), as: .protobuf)
        #expect(again == request)
        let record = try #require(again.resourceLogs.first?.scopeLogs.first?.logRecords.first)
        #expect(Array(record.unknownFields.data) == Self.unknownField)
    }

    @Test("requests that follow one another are one request")
    func concatenated() throws {
        let bytes = try RecordedRequest.logs.bytes(.protobuf)
        let request = try ExportLogsServiceRequest(decoding: bytes + bytes, as: .protobuf)
        let one = try ExportLogsServiceRequest(decoding: bytes, as: .protobuf)
        #expect(request.resourceLogs == one.resourceLogs + one.resourceLogs)
    }

    @Test("no bytes are an empty request")
    func empty() throws {
        let request = try ExportLogsServiceRequest(decoding: [UInt8](), as: .protobuf)
        #expect(request == ExportLogsServiceRequest())
        #expect(try request.encoded(as: .protobuf) == [])
        #expect(try request.encoded(as: .json) == Array("{}".utf8))
    }

    @Test(
        "invalid protobuf has specific errors",
        arguments: [
            ([0x0a, 0x05], "is truncated or not protobuf: check the content type"),
            ([0x0b], "is truncated or not protobuf: check the content type"),
            (Array("{}".utf8), "is truncated or not protobuf: check the content type"),
            ([0x0a, 0x03, 0x1a, 0x01, 0xff], "a string is not UTF-8: send it as bytes"),
        ] as [([UInt8], String)])
    func malformed(bytes: [UInt8], problem: String) {
        let error = #expect(throws: OTLPError.self) {
            try ExportLogsServiceRequest(decoding: bytes, as: .protobuf)
        }
        #expect(error?.reason == .malformed)
        #expect(error?.description == "logs request: \(problem)")
    }
}
