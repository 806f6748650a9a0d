/// The value of an attribute.
///
/// The field numbers are those of `AnyValue` in opentelemetry/proto/common/v1/common.proto.
package enum AttributeValue: Hashable, Sendable {
    /// UTF-8.
    case string(ArraySlice<UInt8>)
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case bytes(ArraySlice<UInt8>)
    /// A list, a map, or a string of a dictionary.
    case other
}

extension AttributeValue {
    /// Reads the content of an `AnyValue`, or returns `nil` if it has no value. As everywhere in
    /// protobuf, the last one of repeated fields is used.
    init?(_ bytes: [UInt8], in range: Range<Int>) {
        var value: Self?
        for field in ProtobufFields(bytes, in: range) { value = Self(field, of: bytes) ?? value }
        guard let value else { return nil }
        self = value
    }

    private init?(_ field: ProtobufFields.Field, of bytes: [UInt8]) {
        switch (field.number, field.wireType) {
        case (1, 2): self = .string(bytes[field.contentOrEmpty])
        case (2, 0): self = .bool(field.number(in: bytes) != 0)
        case (3, 0): self = .integer(Int64(bitPattern: field.number(in: bytes)))
        case (4, 1): self = .real(Double(bitPattern: field.number(in: bytes)))
        case (5, 2), (6, 2), (8, 0): self = .other
        case (7, 2): self = .bytes(bytes[field.contentOrEmpty])
        default: return nil
        }
    }
}
