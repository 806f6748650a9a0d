/// The `log.record.uid` of a record, the same in all its revisions.
///
/// It is the key of the entry with the record's position added to the last four bytes, written as a
/// UUID. So it is the same however often the record is processed, and different for each record of
/// an entry.
struct RecordUID {
    let text: String

    init(_ key: EntryKey, position: Int) {
        var bytes = key.bytes
        let tail = UInt32(bigEndianBytes: bytes.suffix(4))
        let sum = tail &+ UInt32(truncatingIfNeeded: position)
        bytes.replaceSubrange(12..., with: sum.bigEndianBytes)
        text = Self.uuid(bytes)
    }

    /// The maximum length of a client's identifier in lists, in bytes.
    static let listedLimit = 1_024

    /// Returns the identifier that lists show: the client's, or this one if the client's is missing,
    /// longer than ``listedLimit``, or cannot be a part of a URL's path. The record keeps the
    /// client's, unless it is empty.
    func listed(insteadOf client: String?) -> String {
        guard let client, client.utf8.count <= Self.listedLimit, !["", ".", ".."].contains(client)
        else { return text }
        return client
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the bytes as a UUID in lower case, as OpenTelemetry writes identifiers.
    private static func uuid(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if (4...10).contains(index), index.isMultiple(of: 2) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
