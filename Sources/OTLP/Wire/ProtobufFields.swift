/// The fields of one message, in the order of its bytes.
///
/// The wire format: https://protobuf.dev/programming-guides/encoding
struct ProtobufFields: Sequence, IteratorProtocol {
    struct Field {
        var number: UInt64
        var wireType: UInt64
        /// The bytes of the field with its tag.
        var whole: Range<Int>
        /// The bytes of a field with a length, or `nil`.
        var content: Range<Int>?
    }

    /// Whether it stopped before the end, because the rest is not protobuf.
    private(set) var isMalformed = false

    private var cursor: ProtobufCursor
    private let end: Int

    /// - Parameter range: The bytes of the message.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        cursor = ProtobufCursor(bytes: bytes, offset: range.lowerBound)
        end = range.upperBound
    }

    mutating func next() -> Field? {
        let start = cursor.offset
        guard start < end, !isMalformed else { return nil }
        guard let tag = cursor.varint(before: end) else { return stop() }
        var content: Range<Int>?
        guard skip(wireType: tag & 7, &content) else { return stop() }
        return Field(
            number: tag >> 3, wireType: tag & 7, whole: start..<cursor.offset, content: content)
    }

    private mutating func stop() -> Field? {
        isMalformed = true
        return nil
    }

    private mutating func skip(wireType: UInt64, _ content: inout Range<Int>?) -> Bool {
        switch wireType {
        case 0: return cursor.varint(before: end) != nil
        case 1: return cursor.skip(8, before: end)
        case 2:
            content = cursor.content(before: end)
            return content != nil
        case 3: return skipGroup()
        case 5: return cursor.skip(4, before: end)
        default: return false
        }
    }

    /// Skips a group and the groups in it.
    private mutating func skipGroup() -> Bool {
        var depth = 1
        while depth > 0 {
            guard let tag = cursor.varint(before: end) else { return false }
            var content: Range<Int>?
            switch tag & 7 {
            case 3: depth += 1
            case 4: depth -= 1
            case let other: guard skip(wireType: other, &content) else { return false }
            }
        }
        return true
    }
}

extension ProtobufFields.Field {
    var contentOrEmpty: Range<Int> { content ?? whole.upperBound..<whole.upperBound }

    /// Returns the number in a field of wire type 0 or 1.
    func number(in bytes: [UInt8]) -> UInt64 {
        var cursor = ProtobufCursor(bytes: bytes, offset: whole.lowerBound)
        _ = cursor.varint(before: whole.upperBound)
        if wireType == 0 { return cursor.varint(before: whole.upperBound) ?? 0 }
        return (cursor.offset..<whole.upperBound).reversed().reduce(0) {
            $0 << 8 | UInt64(bytes[$1])
        }
    }
}
