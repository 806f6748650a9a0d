/// Counts the messages of a request before memory is allocated for them.
///
/// A log record without fields is two bytes of protobuf and some 170 in memory, so 64 MiB could
/// become gigabytes. The library limits only the depth.
enum MessageCounter {
    /// Returns whether a request has more than `limit` messages in repeated fields.
    ///
    /// Stops at invalid protobuf, as the library then does.
    ///
    /// - Parameter row: The request's row in ``RequestFields``.
    static func exceeds(_ limit: Int, protobuf bytes: [UInt8], row: Int) -> Bool {
        var scanner = ProtobufScanner(bytes, row: row)
        scanner.scan(upTo: limit)
        return scanner.repeatedCount > limit
    }

    /// Returns whether JSON has more than `limit` objects. Each of them may be a message.
    static func exceeds(_ limit: Int, json bytes: [UInt8]) -> Bool {
        let (quote, backslash, brace) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "{"))
        var (count, isInString, isEscaped) = (0, false, false)
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if byte == quote {
                isInString.toggle()
            } else if byte == backslash {
                isEscaped = true
            } else if byte == brace, !isInString {
                count += 1
                if count > limit { return true }
            }
        }
        return false
    }
}
