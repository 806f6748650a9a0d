/// Scans the fields of a protobuf request without creating messages.
///
/// The scan is conclusive for everything that OTLP senders write. It is inconclusive for groups,
/// and at the maximum nesting depth, where only the library can decide.
///
/// The wire format: https://protobuf.dev/programming-guides/encoding
struct ProtobufScanner {
    /// The number of messages found in repeated fields.
    private(set) var repeatedCount = 0
    /// Whether the library accepts everything scanned so far.
    private(set) var isCertain = true

    private var cursor: ProtobufCursor
    /// The messages around the cursor, outermost first.
    private var open: [OpenMessage]

    private struct OpenMessage {
        var end: Int
        /// The row in ``RequestFields``.
        var row: Int
        /// The number of open groups. No OTLP message uses groups, so their content is skipped.
        var groupDepth = 0
    }

    /// - Parameter row: The request's row in ``RequestFields``.
    init(_ bytes: [UInt8], row: Int) {
        cursor = ProtobufCursor(bytes: bytes, offset: 0)
        open = []
        // Enough for the messages around an attribute of a record.
        open.reserveCapacity(8)
        open.append(OpenMessage(end: bytes.count, row: row))
    }

    /// Whether the whole request has been read.
    var isComplete: Bool { open.isEmpty }

    /// Reads to the end, or until the library would stop reading or there are more than `limit`
    /// messages in repeated fields.
    mutating func scan(upTo limit: Int = .max) {
        while repeatedCount <= limit, step() {}
    }

    /// Reads one field, or leaves a message at its end.
    ///
    /// - Returns: `false` at the end, and where the library would stop reading.
    private mutating func step() -> Bool {
        guard let message = open.last else { return false }
        guard cursor.offset < message.end else {
            if message.groupDepth > 0 { isCertain = false }
            open.removeLast()
            return true
        }
        let start = cursor.offset
        guard let tag = cursor.varint(before: message.end) else { return false }
        // The library reads tags of at most five bytes and 32 bits.
        if cursor.offset - start > 5 || tag > UInt64(UInt32.max) || tag < 8 { isCertain = false }
        return field(number: tag >> 3, wireType: tag & 7, in: message)
    }

    private mutating func field(
        number: UInt64, wireType: UInt64, in message: OpenMessage
    ) -> Bool {
        switch wireType {
        case 0: return cursor.varint(before: message.end) != nil
        case 1: return cursor.skip(8, before: message.end)
        case 2: return lengthDelimited(number: number, in: message)
        case 3: return group(1)
        case 4: return message.groupDepth > 0 && group(-1)
        case 5: return cursor.skip(4, before: message.end)
        default: return false
        }
    }

    private mutating func lengthDelimited(number: UInt64, in message: OpenMessage) -> Bool {
        guard let range = cursor.content(before: message.end) else { return false }
        guard message.groupDepth == 0,
            let content = RequestFields.rows[message.row].first(where: { $0.number == number })?
                .content
        else { return true }
        if case .message(let row, let isRepeated) = content {
            return enter(range, row: row, isRepeated: isRepeated)
        }
        if !isWellFormed(range, content) { isCertain = false }
        return true
    }

    private mutating func enter(_ range: Range<Int>, row: Int, isRepeated: Bool) -> Bool {
        guard open.count <= OTLPLimits.messageDepth else { return false }
        if open.count == OTLPLimits.messageDepth { isCertain = false }
        cursor.offset = range.lowerBound
        open.append(OpenMessage(end: range.upperBound, row: row))
        if isRepeated { repeatedCount += 1 }
        return true
    }

    private func isWellFormed(_ range: Range<Int>, _ content: FieldContent) -> Bool {
        switch content {
        case .message: true
        case .text: (try? UTF8Span(validating: cursor.bytes.span.extracting(range))) != nil
        case .numbers(let byteCount): range.count.isMultiple(of: byteCount)
        case .varints: hasWholeVarints(range)
        }
    }

    private func hasWholeVarints(_ range: Range<Int>) -> Bool {
        var list = ProtobufCursor(bytes: cursor.bytes, offset: range.lowerBound)
        while list.offset < range.upperBound {
            guard list.varint(before: range.upperBound) != nil else { return false }
        }
        return true
    }

    private mutating func group(_ step: Int) -> Bool {
        isCertain = false
        open[open.count - 1].groupDepth += step
        return true
    }
}
