private import SwiftProtobuf

/// A log record as protobuf, whose attributes can be changed.
///
/// Attributes are read and replaced in place; every other byte of the record stays unchanged, even
/// in unknown fields or an unusual order. A record in which an attribute has an unusual form is
/// rewritten by the library first.
///
/// The field numbers are those of opentelemetry/proto/logs/v1/logs.proto.
package struct EncodedLogRecord: Sendable {
    package var attributes: EncodedAttributes
    package private(set) var timeUnixNano: UInt64 = 0
    package private(set) var observedTimeUnixNano: UInt64 = 0

    private let bytes: [UInt8]
    private let content: Range<Int>
    private var eventNameRange = 0..<0
    /// Whether every attribute has the form that the library writes.
    private var isUsual = true

    private static let attributesField: UInt8 = 6

    /// - Parameter range: The bytes of the record.
    /// - Returns: `nil` if it is not valid.
    init?(_ bytes: [UInt8], in range: Range<Int>) {
        guard let record = Self(reading: bytes, in: range) else { return nil }
        if record.isUsual {
            self = record
            return
        }
        guard let message = try? LogRecord(serializedBytes: Array(bytes[range])),
            let encoded = message.encoded(),
            let rewritten = Self(reading: encoded, in: encoded.indices)
        else { return nil }
        self = rewritten
    }

    private init?(reading bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        content = range
        attributes = EncodedAttributes(
            of: bytes, field: Self.attributesField, end: Self.end(of: bytes, in: range))
        var fields = ProtobufFields(bytes, in: range)
        while let field = fields.next() {
            switch (field.number, field.wireType) {
            case (1, 1): timeUnixNano = field.number(in: bytes)
            case (6, 2): if !attributes.add(field) { isUsual = false }
            case (11, 1): observedTimeUnixNano = field.number(in: bytes)
            case (12, 2): eventNameRange = field.contentOrEmpty
            default: break
            }
        }
        if fields.isMalformed { return nil }
    }

    /// Returns the position of attributes in the order that the library writes.
    private static func end(of bytes: [UInt8], in range: Range<Int>) -> Int {
        let later = ProtobufFields(bytes, in: range).first { $0.number > attributesField }
        return later?.whole.lowerBound ?? range.upperBound
    }

    package var eventName: String { String(decoding: bytes[eventNameRange], as: UTF8.self) }

    /// The record after the changes, as pieces of the received bytes and of the new attributes.
    package var pieces: [ArraySlice<UInt8>] { attributes.pieces(of: content) }

    /// The record after the changes, as a message.
    package var message: LogRecord {
        (try? LogRecord(serializedBytes: Array(pieces.joined()))) ?? LogRecord()
    }
}
