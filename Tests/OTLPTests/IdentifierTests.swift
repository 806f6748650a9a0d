import Foundation
import OTLP
import Testing

@Suite("Ids in JSON")
struct IdentifierTests {
    private func request(traceID: String, spanID: String) -> [UInt8] {
        let record = #"{"traceId":"\#(traceID)","spanId":"\#(spanID)","eventName":"crash"}"#
        return Array(
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},\#(record)]}]}]}"#.utf8)
    }

    private func record(traceID: String, spanID: String) throws -> LogRecord {
        let request = try ExportLogsServiceRequest(
            decoding: request(traceID: traceID, spanID: spanID), as: .json)
        return request.resourceLogs[0].scopeLogs[0].logRecords[1]
    }

    @Test("ids are read in hexadecimal, of either case")
    func hexadecimal() throws {
        for trace in ["5b8efff798038103d269b633813fc60c", "5B8EFFF798038103D269B633813FC60C"] {
            let record = try record(traceID: trace, spanID: "eee19b7ec3c1b174")
            #expect(
                Array(record.traceID) == [
                    0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81,
                    0x3f, 0xc6, 0x0c,
                ])
            #expect(
                Array(record.spanID) == [0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74])
        }
    }

    @Test("ids are written in lower-case hexadecimal")
    func written() throws {
        let bytes = request(
            traceID: "5B8EFFF798038103D269B633813FC60C", spanID: "EEE19B7EC3C1B174")
        let request = try ExportLogsServiceRequest(decoding: bytes, as: .json)
        let text = String(decoding: try request.encoded(as: .json), as: UTF8.self)
        #expect(text.contains(#""traceId":"5b8efff798038103d269b633813fc60c""#))
        #expect(text.contains(#""spanId":"eee19b7ec3c1b174""#))
    }
}
