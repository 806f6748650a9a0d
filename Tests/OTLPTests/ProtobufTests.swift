import OTLP
import SwiftProtobuf
import Testing

@Suite("OTLP in protobuf")
struct ProtobufTests {
    /// Field 1000, a string: a field that no version of OTLP has.
    static let unknownField: [UInt8] = [0xc2, 0x3e, 0x03, 0x6e, 0x65, 0x77]

    @Test("fields that are not known go out again, at every level")
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
        #expect(request.resourceLogs[0].scopeLogs[0].logRecords[0].eventName == "crash")
        #expect(try request.encoded(as: .protobuf) == bytes)
    }

    @Test("a record that is changed keeps the fields that are not known")
    func changed() throws {
        let bytes: [UInt8] = [0x0a, 0x0a, 0x12, 0x08, 0x12, 0x06] + Self.unknownField
        var request = try ExportLogsServiceRequest(decoding: bytes, as: .protobuf)
        request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes["k"] = .boolValue(true)
        let again = try ExportLogsServiceRequest(
            decoding: request.encoded(as: .protobuf), as: .protobuf)
        #expect(again == request)
        let record = again.resourceLogs[0].scopeLogs[0].logRecords[0]
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
        "what is no protobuf is an error that says so",
        arguments: [
            ([0x0a, 0x05], "is cut off or not protobuf: check the content type"),
            ([0x0b], "is cut off or not protobuf: check the content type"),
            (Array("{}".utf8), "is cut off or not protobuf: check the content type"),
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
