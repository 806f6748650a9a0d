import OTLP
import Problems
import SwiftProtobuf
import Testing

@Suite("Depth of values")
struct DepthTests {
    /// A request whose body has nested maps.
    private func request(maps: Int) -> ExportLogsServiceRequest {
        let body = (0..<maps).reduce(AnyValue(.stringValue("x"))) { value, _ in
            AnyValue(.kvlistValue(.with { $0.values = [KeyValue("k", value)] }))
        }
        return LogRecord.with { $0.body = body }.request
    }

    private func request(lists: Int) -> ExportLogsServiceRequest {
        let body = (0..<lists).reduce(AnyValue(.stringValue("x"))) { value, _ in
            AnyValue(.arrayValue(.with { $0.values = [value] }))
        }
        return LogRecord.with { $0.body = body }.request
    }

    @Test("31 maps and 47 lists are read, one more is an error", arguments: OTLPEncoding.allCases)
    func limit(encoding: OTLPEncoding) throws {
        for deepest in [request(maps: 31), request(lists: 47)] {
            let bytes = try deepest.encoded(as: encoding)
            #expect(try ExportLogsServiceRequest(decoding: bytes, as: encoding) == deepest)
        }
        for deeper in [request(maps: 32), request(lists: 48)] {
            let bytes = try deeper.encoded(as: encoding)
            let error = #expect(throws: OTLPError.self) {
                try ExportLogsServiceRequest(decoding: bytes, as: encoding)
            }
            #expect(error?.reason == .depth)
            #expect(
                error?.description
                    == "logs request: is nested deeper than 100 messages: send flatter attributes")
        }
    }

    @Test("a hundred thousand brackets in an unknown field are an error or skipped")
    func brackets() throws {
        let open = String(repeating: "[", count: 100_000)
        let close = String(repeating: "]", count: 100_000)
        #expect(try logRecord(#"{"later":\#(open)\#(close)}"#) == LogRecord())
        #expect(throws: OTLPError.self) { try logRecord(#"{"later":\#(open)"#) }
        let objects = String(repeating: #"{"a":"#, count: 100_000)
        let error = #expect(throws: OTLPError.self) { try logRecord(#"{"later":\#(objects)"#) }
        #expect(error?.reason == .depth)
    }
}
