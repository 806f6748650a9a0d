import Problems
import TestSupport
import Testing

@testable import OTLP

@Suite("Checks of requests")
struct RequestCheckTests {
    private func error(_ body: () throws(OTLPError) -> Void) -> OTLPError? {
        do throws(OTLPError) { try body() } catch { return error }
        return nil
    }

    /// Expects the check to find what reading finds, and returns whether it is valid.
    @discardableResult
    private func expectSame<Request: OTLPMessage>(_ bytes: [UInt8], _: Request.Type) -> Bool {
        let read = error { () throws(OTLPError) in
            _ = try Request(decoding: bytes, as: .protobuf)
        }
        let checked = error { () throws(OTLPError) in try Request.check(protobuf: bytes) }
        #expect(checked?.description == read?.description, "\(bytes)")
        return read == nil
    }

    private func protobuf(_ row: Int, seed: UInt64) throws -> [UInt8]? {
        var random = RandomRequest(seed: seed)
        let request = RandomRequestTests.requests[row]
        let json = random.message(request.name)
        return try? request.type.reencoded(Array(json.utf8), from: .json, to: .protobuf)
    }

    private func isCertain(_ bytes: [UInt8], row: Int) -> Bool {
        var scanner = ProtobufScanner(bytes, row: row)
        scanner.scan()
        return scanner.isComplete && scanner.isCertain
    }

    @Test("random requests are valid without making messages of them", arguments: UInt64(0)..<200)
    func random(seed: UInt64) throws {
        for (row, request) in RandomRequestTests.requests.enumerated() {
            guard let bytes = try protobuf(row, seed: seed) else { continue }
            #expect(isCertain(bytes, row: row))
            expectSame(bytes, request.type)
        }
    }

    @Test("damaged requests are refused as when they are read", arguments: UInt64(0)..<100)
    func damaged(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        for (row, request) in RandomRequestTests.requests.enumerated() {
            guard let bytes = try protobuf(row, seed: seed), !bytes.isEmpty else { continue }
            for _ in 0..<20 { expectSame(bytes.damaged(using: &numbers), request.type) }
        }
    }

    @Test("short bytes of every kind are refused as when they are read")
    func short() {
        var numbers = SplitMix64(seed: 7)
        var validCount = 0
        // Tags of the messages in logs, of groups, and of fields that do not exist.
        let tags: [UInt8] = [
            0x0a, 0x12, 0x1a, 0x2a, 0x32, 0x62, 0x0b, 0x0c, 0x08, 0x0d, 0x09, 0x80,
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &numbers)
            let bytes = (0..<count).map { place in
                place.isMultiple(of: 2)
                    ? tags.randomElement(using: &numbers) ?? 0
                    : UInt8.random(in: 0..<12, using: &numbers)
            }
            if expectSame(bytes, ExportLogsServiceRequest.self) { validCount += 1 }
        }
        #expect(validCount > 500)
    }

    @Test("tags of six bytes, of more than 32 bits and of field 0 are refused")
    func tags() {
        for bytes: [UInt8] in [
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0], [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0],
            [0xf8, 0xff, 0xff, 0xff, 0x1f, 0], [0x00, 0], [0x02, 0], [0x80, 0x00, 0],
        ] {
            #expect(!expectSame(bytes, ExportLogsServiceRequest.self))
        }
        #expect(expectSame([0xf8, 0xff, 0xff, 0xff, 0x0f, 0], ExportLogsServiceRequest.self))
    }

    @Test("the limit on messages is that of reading")
    func count() throws {
        let bytes = try RecordedRequest.allCases[0].bytes(.protobuf)
        let type = RecordedRequest.allCases[0].type
        for limit in 0..<40 {
            let read = error { () throws(OTLPError) in
                _ = try type.init(decoding: bytes, as: .protobuf, messageLimit: limit)
            }
            let checked = error { () throws(OTLPError) in
                try type.check(protobuf: bytes, messageLimit: limit)
            }
            #expect(checked?.description == read?.description)
        }
    }
}
