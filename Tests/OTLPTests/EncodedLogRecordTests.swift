import Foundation
import SwiftProtobuf
import TestSupport
import Testing

@testable import OTLP

@Suite("Changes to encoded records")
struct EncodedLogRecordTests {
    /// The records of a random request, as the library writes them.
    private static func records(seed: UInt64) -> [LogRecord] {
        var random = RandomRequest(seed: seed)
        let json = random.message("ExportLogsServiceRequest")
        let request = try? ExportLogsServiceRequest(
            decoding: Array(json.utf8), as: .json, messageLimit: .max)
        return (request?.resourceLogs ?? []).flatMap(\.scopeLogs).flatMap(\.logRecords)
    }

    /// Changes to a record, made on its bytes and on its message.
    private struct Twins {
        var encoded: EncodedLogRecord
        var message: LogRecord

        init?(_ bytes: [UInt8]) {
            guard let encoded = EncodedLogRecord(bytes, in: bytes.indices),
                let message = try? LogRecord(serializedBytes: bytes)
            else { return nil }
            self.encoded = encoded
            self.message = message
        }

        var isEqual: Bool { Array(encoded.pieces.joined()) == message.encoded() }

        mutating func change(_ key: String, _ random: inout SplitMix64) {
            let text = String(repeating: "ä", count: Int.random(in: 0...90, using: &random))
            let number = Int64(
                bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                encoded.attributes.set(key, text)
                message.attributes.set(key, text)
            case 1:
                encoded.attributes.set(key, number)
                message.attributes.set(key, number)
            case 2:
                encoded.attributes.set(key, number > 0)
                message.attributes[key] = .boolValue(number > 0)
            case 3:
                encoded.attributes.set(key, [text, "", key])
                message.attributes[key] = .strings([text, "", key])
            case 4:
                encoded.attributes.setIfAbsent(key, text)
                if message.attributes[key] == nil { message.attributes.set(key, text) }
            case 5:
                // Lengths of one to three bytes.
                let count = [1, 20, 200].randomElement(using: &random) ?? 1
                let long = String(repeating: text, count: count)
                encoded.attributes.set(key) { $0 += long.utf8 }
                message.attributes.set(key, long)
            case 6:
                let source = message.attributes.first?.key ?? "new"
                encoded.attributes.copyValue(of: source, to: key)
                message.attributes[key] = message.attributes[source]
            default:
                encoded.attributes.remove(key)
                message.attributes[key] = nil
            }
        }
    }

    @Test("are those of the library on the message", arguments: UInt64(0)..<300)
    func random(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        for record in Self.records(seed: seed) {
            var twins = try #require(record.encoded().flatMap(Twins.init))
            #expect(twins.isEqual)
            for _ in 0..<8 {
                let keys = twins.message.attributes.map(\.key) + ["new", "exception.stacktrace"]
                let key = try #require(keys.randomElement(using: &numbers))
                twins.change(key, &numbers)
                #expect(twins.isEqual, "\(key) of \(record)")
                #expect(
                    twins.encoded.attributes.text(of: key)
                        == twins.message.attributes.text(of: key))
            }
        }
    }

    @Test("fields and values are read as the library reads them", arguments: UInt64(0)..<300)
    func reading(seed: UInt64) throws {
        for record in Self.records(seed: seed) {
            let bytes = try #require(record.encoded())
            let encoded = try #require(EncodedLogRecord(bytes, in: bytes.indices))
            #expect(encoded.timeUnixNano == record.timeUnixNano)
            #expect(encoded.observedTimeUnixNano == record.observedTimeUnixNano)
            #expect(encoded.eventName == record.eventName)
            var rest = record.attributes[...]
            encoded.attributes.forEach { key, value in
                let expected = rest.popFirst()
                #expect(key == expected?.key)
                // As texts, because NaN is not equal to itself.
                let read = expected?.value.value.map(AttributeValue.init)
                #expect(String(describing: value) == String(describing: read))
            }
            #expect(rest.isEmpty && encoded.attributes.count == record.attributes.count)
        }
    }

    @Test("bytes of any other form are kept")
    func otherForms() throws {
        // The event's name before the attributes, a length of two bytes, and unknown fields.
        let event: [UInt8] = [0x62, 0x01, 0x65]
        let attribute: [UInt8] = [
            0x32, 0x88, 0x00, 0x12, 0x03, 0x0a, 0x01, 0x78, 0x0a, 0x01, 0x61,
        ]
        let unknown: [UInt8] = [0xa2, 0x06, 0x02, 0x01, 0x02]
        var record = try #require(Twins(unknown + event + attribute + unknown)).encoded
        #expect(record.eventName == "e" && record.attributes.text(of: "a") == "x")
        record.attributes.set("b", Int64(300))
        let added: [UInt8] = [0x32, 0x08, 0x0a, 0x01, 0x62, 0x12, 0x03, 0x18, 0xac, 0x02]
        #expect(Array(record.pieces.joined()) == unknown + event + attribute + added + unknown)
    }

    @Test(
        "attributes with repeated fields are read by the library",
        arguments: [
            // Two keys, two values that are merged, two kinds of values, and an unknown field.
            [0x32, 0x06, 0x0a, 0x01, 0x61, 0x0a, 0x01, 0x62],
            [
                0x32, 0x0d, 0x0a, 0x01, 0x61, 0x12, 0x03, 0x0a, 0x01, 0x78, 0x12, 0x03, 0x0a, 0x01,
                0x79,
            ],
            [0x32, 0x0a, 0x0a, 0x01, 0x61, 0x12, 0x05, 0x18, 0x05, 0x0a, 0x01, 0x78],
            [0x32, 0x07, 0x0a, 0x01, 0x61, 0x12, 0x00, 0x28, 0x01],
        ] as [[UInt8]])
    func unusual(bytes: [UInt8]) throws {
        var twins = try #require(Twins([0x62, 0x01, 0x65] + bytes))
        #expect(twins.isEqual)
        let key = twins.message.attributes[0].key
        #expect(twins.encoded.attributes.text(of: key) == twins.message.attributes.text(of: key))
        twins.encoded.attributes.set(key, "z")
        twins.message.attributes.set(key, "z")
        #expect(twins.isEqual)
    }

    @Test("bytes that are not protobuf are not read as a record")
    func malformed() {
        for bytes: [UInt8] in [
            [0x32], [0x32, 0x05, 0], [0x0b], [0x32, 0x02, 0x0a, 0x05],
            [0x32, 0x03, 0x12, 0x01, 0x78],
        ] {
            #expect(EncodedLogRecord(bytes, in: bytes.indices) == nil)
        }
    }
}

extension AttributeValue {
    fileprivate init(_ value: AnyValue.OneOf_Value) {
        self =
            switch value {
            case .stringValue(let text): .string(Array(text.utf8)[...])
            case .boolValue(let isTrue): .bool(isTrue)
            case .intValue(let number): .integer(number)
            case .doubleValue(let number): .real(number)
            case .bytesValue(let bytes): .bytes(Array(bytes)[...])
            case .arrayValue, .kvlistValue, .stringValueStrindex: .other
            }
    }
}
