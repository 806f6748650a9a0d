import GRPCCore
import OTLP
import SwiftProtobuf
import Testing

@Suite("Status of an error")
struct StatusTests {
    @Test("a status is written in the request's own encoding and read back")
    func roundTrip() throws {
        let status = OTLPStatus(.invalidArgument, "logs request: is not protobuf")
        #expect(
            try status.encoded(as: .json)
                == Array(#"{"code":3,"message":"logs request: is not protobuf"}"#.utf8))
        #expect(
            try status.encoded(as: .protobuf)
                == [0x08, 0x03, 0x12, 0x1d] + Array("logs request: is not protobuf".utf8))
        for encoding in OTLPEncoding.allCases {
            #expect(
                try OTLPStatus(decoding: status.encoded(as: encoding), as: encoding) == status)
        }
    }

    @Test("details that a server adds are accepted")
    func details() throws {
        let json = #"{"code":3,"message":"no","details":[{"@type":"x.y/Later","value":{"a":[1]}}]}"#
        let status = try OTLPStatus(decoding: Array(json.utf8), as: .json)
        #expect(status.message == "no")
    }

    @Test("responses with partial success are read in both encodings")
    func partialSuccess() throws {
        let json = #"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}"#
        let response = try ExportLogsServiceResponse(decoding: Array(json.utf8), as: .json)
        #expect(response.partialSuccess.rejectedLogRecords == 2)
        #expect(try response.encoded(as: .json) == Array(json.utf8))
        let protobuf = try response.encoded(as: .protobuf)
        #expect(try ExportLogsServiceResponse(decoding: protobuf, as: .protobuf) == response)
    }
}
