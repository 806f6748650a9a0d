import OTLP
import Problems
import TestSupport
import Testing

@Suite("Damaged requests")
struct DamageTests {
    @Test(
        "damage is an error, or a request that can be written and read", arguments: UInt64(0)..<300)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        for request in RecordedRequest.allCases {
            for encoding in OTLPEncoding.allCases {
                let damaged = try request.bytes(encoding).damaged(using: &numbers)
                try check(damaged, of: request.type, as: encoding)
            }
        }
    }

    @Test("every prefix of JSON is an error", arguments: RecordedRequest.allCases)
    func jsonPrefixes(request: RecordedRequest) throws {
        let bytes = try request.bytes(.json)
        // The file ends in a newline.
        for end in 0..<bytes.count - 1 {
            #expect(throws: OTLPError.self) {
                try request.type.reencoded(Array(bytes[..<end]), from: .json, to: .json)
            }
        }
    }

    @Test(
        "every prefix of protobuf but the empty one is an error",
        arguments: RecordedRequest.allCases)
    func protobufPrefixes(request: RecordedRequest) throws {
        let bytes = try request.bytes(.protobuf)
        for end in 1..<bytes.count {
            #expect(throws: OTLPError.self) {
                try request.type.reencoded(Array(bytes[..<end]), from: .protobuf, to: .json)
            }
        }
    }

    private func check(
        _ bytes: [UInt8], of type: (some OTLPMessage).Type, as encoding: OTLPEncoding
    ) throws {
        let message: [UInt8]
        do {
            message = try type.reencoded(bytes, from: encoding, to: .protobuf)
        } catch {
            #expect(error.description.split(separator: ": ").count >= 3)
            return
        }
        #expect(try type.reencoded(message, from: .protobuf, to: .protobuf) == message)
        let json = try type.reencoded(message, from: .protobuf, to: .json)
        #expect(try type.reencoded(json, from: .json, to: .json) == json)
    }
}
