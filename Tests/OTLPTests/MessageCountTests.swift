import OTLP
import Problems
import SwiftProtobuf
import TestSupport
import Testing

@Suite("Limit on messages")
struct MessageCountTests {
    private func isRead(
        _ request: some OTLPMessage, _ encoding: OTLPEncoding, limit: Int
    ) throws -> Bool {
        try isRead(type(of: request), request.encoded(as: encoding), encoding, limit: limit)
    }

    private func isRead(
        _ type: (some OTLPMessage).Type, _ bytes: [UInt8], _ encoding: OTLPEncoding, limit: Int
    ) throws(OTLPError) -> Bool {
        do {
            _ = try type.init(decoding: bytes, as: encoding, messageLimit: limit)
            return true
        } catch {
            guard error.reason == .count else { throw error }
            #expect(
                error.description.hasSuffix(
                    ": has more than \(limit) messages: send fewer at once"))
            return false
        }
    }

    @Test("records, attributes and elements count, one beyond the limit is refused")
    func counting() throws {
        var record = LogRecord()
        record.eventName = String(repeating: "{}", count: 50)
        record.attributes["a"] = .strings(["{", "\"{\\{\"", "\\"])
        record.attributes["b"] = .intValue(1)
        // The resource's logs, the scope's, the record, two attributes, three elements.
        #expect(try isRead(record.request, .protobuf, limit: 8))
        #expect(try !isRead(record.request, .protobuf, limit: 7))
        // JSON counts the request, both values and the list as well.
        #expect(try isRead(record.request, .json, limit: 12))
        #expect(try !isRead(record.request, .json, limit: 11))
    }

    @Test("every kind of request is counted", arguments: RecordedRequest.allCases)
    func requests(request: RecordedRequest) throws {
        for encoding in OTLPEncoding.allCases {
            let bytes = try request.bytes(encoding)
            #expect(try isRead(request.type, bytes, encoding, limit: 100))
            #expect(try !isRead(request.type, bytes, encoding, limit: 12))
        }
    }

    @Test("a request beyond the usual limit is refused before it is read")
    func usualLimit() {
        let bytes = [UInt8](repeating: UInt8(ascii: "{"), count: OTLPLimits.messageCount + 1)
        let error = #expect(throws: OTLPError.self) {
            try ExportLogsServiceRequest(decoding: bytes, as: .json)
        }
        #expect(error?.reason == .count)
    }

    @Test("apparent messages in groups and unknown fields do not count")
    func groups() throws {
        let record: [UInt8] = [0x12, 0]
        let group = [0x9b, 0x3f] + record + record + [0x9c, 0x3f]
        let unknown: [UInt8] = [0xc2, 0x3e, 4] + record + record
        let scope = [0x12, UInt8(group.count + unknown.count + 2)] + group + unknown + record
        let bytes = [0x0a, UInt8(scope.count)] + scope
        #expect(try isRead(ExportLogsServiceRequest.self, bytes, .protobuf, limit: 3))
        #expect(try !isRead(ExportLogsServiceRequest.self, bytes, .protobuf, limit: 2))
    }

    @Test("damage does not hide messages from the count", arguments: UInt64(0)..<300)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let bytes = try RecordedRequest.logs.bytes(.protobuf).damaged(using: &numbers)
        guard let request = try? ExportLogsServiceRequest(decoding: bytes, as: .protobuf)
        else { return }
        let records = request.resourceLogs.flatMap(\.scopeLogs).flatMap(\.logRecords)
        let count = records.count + records.reduce(0) { $0 + $1.attributes.count }
        if count > 0 {
            #expect(
                try !isRead(ExportLogsServiceRequest.self, bytes, .protobuf, limit: count - 1))
        }
    }
}
