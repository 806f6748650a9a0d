/// A walk over the fields of a request in protobuf, down into messages and past all else.
///
/// It knows of the wire format what is needed to step over a field:
/// https://protobuf.dev/programming-guides/encoding
struct ProtobufWalk {
    /// How many messages were met in fields that may hold any number of them.
    private(set) var repeatedCount = 0

    private let bytes: [UInt8]
    private var offset = 0
    /// The messages around ``offset``, outermost first.
    private var open: [OpenMessage]

    private struct OpenMessage {
        var end: Int
        /// In ``NestedMessages``.
        var row: Int
        /// Groups are of no message of ours, so nothing in them is one.
        var groupDepth = 0
    }

    init(_ bytes: [UInt8], row: Int) {
        self.bytes = bytes
        open = [OpenMessage(end: bytes.count, row: row)]
    }

    /// Reads one field, or leaves a message that has ended.
    ///
    /// - Returns: `false` at the end, and where the library would not read on.
    mutating func step() -> Bool {
        guard let message = open.last else { return false }
        guard offset < message.end else {
            open.removeLast()
            return true
        }
        guard let tag = varint(before: message.end) else { return false }
        return field(number: tag >> 3, wireType: tag & 7, in: message)
    }

    private mutating func field(
        number: UInt64, wireType: UInt64, in message: OpenMessage
    ) -> Bool {
        switch wireType {
        case 0: return varint(before: message.end) != nil
        case 1: return skip(8, before: message.end)
        case 2: return lengthDelimited(number: number, in: message)
        case 3: return group(1)
        case 4: return message.groupDepth > 0 && group(-1)
        case 5: return skip(4, before: message.end)
        default: return false
        }
    }

    private mutating func lengthDelimited(number: UInt64, in message: OpenMessage) -> Bool {
        guard let length = varint(before: message.end) else { return false }
        guard message.groupDepth == 0,
            let field = NestedMessages.fields[message.row].first(where: { $0.number == number })
        else { return skip(length, before: message.end) }
        guard length <= UInt64(message.end - offset), open.count <= OTLPLimits.messageDepth
        else { return false }
        open.append(OpenMessage(end: offset + Int(length), row: field.message))
        if field.isRepeated { repeatedCount += 1 }
        return true
    }

    private mutating func group(_ step: Int) -> Bool {
        open[open.count - 1].groupDepth += step
        return true
    }

    private mutating func skip(_ count: UInt64, before end: Int) -> Bool {
        guard count <= UInt64(end - offset) else { return false }
        offset += Int(count)
        return true
    }

    private mutating func varint(before end: Int) -> UInt64? {
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
