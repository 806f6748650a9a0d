/// The fields of one message, in the order of its bytes.
///
/// The wire format: https://protobuf.dev/programming-guides/encoding
struct ProtobufFields: Sequence, IteratorProtocol {
    struct Field {
        var number: UInt64
        /// The bytes of the field with its tag.
        var whole: Range<Int>
        /// The bytes of a field with a length, or `nil`.
        var content: Range<Int>?
    }

    /// Whether it stopped before the end, because the rest is not protobuf.
    private(set) var isMalformed = false

    private let bytes: [UInt8]
    private var offset: Int
    private let end: Int

    /// - Parameter range: The bytes of the message.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Field? {
        guard offset < end, !isMalformed else { return nil }
        let start = offset
        guard let tag = varint() else { return stop() }
        var content: Range<Int>?
        guard skip(wireType: tag & 7, &content) else { return stop() }
        return Field(number: tag >> 3, whole: start..<offset, content: content)
    }

    private mutating func stop() -> Field? {
        isMalformed = true
        return nil
    }

    private mutating func skip(wireType: UInt64, _ content: inout Range<Int>?) -> Bool {
        switch wireType {
        case 0: return varint() != nil
        case 1: return advance(8)
        case 2:
            guard let length = varint() else { return false }
            let start = offset
            guard advance(length) else { return false }
            content = start..<offset
            return true
        case 3: return skipGroup()
        case 5: return advance(4)
        default: return false
        }
    }

    /// Skips a group and the groups in it.
    private mutating func skipGroup() -> Bool {
        var depth = 1
        while depth > 0 {
            guard let tag = varint() else { return false }
            var content: Range<Int>?
            switch tag & 7 {
            case 3: depth += 1
            case 4: depth -= 1
            case let other: guard skip(wireType: other, &content) else { return false }
            }
        }
        return true
    }

    private mutating func advance(_ count: UInt64) -> Bool {
        guard count <= UInt64(end - offset) else { return false }
        offset += Int(count)
        return true
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard offset < end else { return nil }
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
