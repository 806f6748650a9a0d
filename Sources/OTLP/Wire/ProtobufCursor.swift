import ByteReading

/// A position in protobuf bytes, with the basic steps of reading them.
///
/// The wire format: https://protobuf.dev/programming-guides/encoding
struct ProtobufCursor {
    let bytes: [UInt8]
    var offset: Int

    /// Reads a varint. Bits past the 64th are dropped.
    ///
    /// - Returns: `nil` if it does not end before `end` or has more than ten bytes.
    mutating func varint(before end: Int) -> UInt64? {
        bytes.uleb128(at: &offset, before: end)
    }

    /// - Returns: `false`, without skipping any, if fewer than `count` bytes precede `end`.
    mutating func skip(_ count: UInt64, before end: Int) -> Bool {
        guard count <= UInt64(end - offset) else { return false }
        offset += Int(count)
        return true
    }

    /// Reads a length and skips that many bytes.
    ///
    /// - Returns: The range of those bytes, or `nil` if they do not end before `end`.
    mutating func content(before end: Int) -> Range<Int>? {
        guard let length = varint(before: end) else { return nil }
        let start = offset
        return skip(length, before: end) ? start..<offset : nil
    }
}
