@testable import OTLP

/// Checks that bytes are a request in protobuf with complete lengths, tags and numbers. Shares no
/// code with the library.
struct StrictProtobufScanner {
    private let bytes: [UInt8]
    private var offset = 0

    /// - Parameter row: The request's row in ``RequestFields``.
    static func accepts(_ bytes: [UInt8], row: Int) -> Bool {
        var walk = StrictProtobufScanner(bytes: bytes)
        return walk.message(row: row, end: bytes.count)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func message(row: Int, end: Int) -> Bool {
        while offset < end {
            guard let tag = varint(end), tag >> 3 > 0, field(tag, row: row, end: end)
            else { return false }
        }
        return offset == end
    }

    private mutating func field(_ tag: UInt64, row: Int, end: Int) -> Bool {
        switch tag & 7 {
        case 0: return varint(end) != nil
        case 1: return skip(8, end)
        case 5: return skip(4, end)
        case 2:
            guard let count = varint(end), count <= UInt64(end - offset) else { return false }
            let field = RequestFields.rows[row].first { $0.number == tag >> 3 }
            guard case .message(let row, _)? = field?.content else { return skip(Int(count), end) }
            return message(row: row, end: offset + Int(count))
        default: return false
        }
    }

    private mutating func skip(_ count: Int, _ end: Int) -> Bool {
        offset += count
        return offset <= end
    }

    /// At most ten bytes, the last one with one bit.
    private mutating func varint(_ end: Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) where offset < end {
            let byte = bytes[offset]
            offset += 1
            guard shift < 63 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
