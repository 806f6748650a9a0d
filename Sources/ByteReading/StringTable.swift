/// Zero-terminated strings that another table refers to by their offsets.
///
/// Strings may share bytes, because linkers merge a string with the end of another. So a small
/// table can yield any amount of text, and the total amount read from it is limited.
public struct StringTable: Sendable {
    /// The maximum total amount read, as a multiple of the table's size.
    public static let rereadingLimit = 8
    /// The amount in bytes that may be read from any table, because small tables are often read
    /// repeatedly.
    public static let freeBytes = 1 << 20
    /// The maximum length of a string, in bytes.
    public static let textBytesLimit = 1 << 16

    public let bytes: FileBytes
    private var budget: Int

    public init(_ bytes: FileBytes) {
        self.bytes = bytes
        let (size, overflow) = bytes.count.multipliedReportingOverflow(by: Self.rereadingLimit)
        budget = overflow ? .max : max(size, Self.freeBytes)
    }

    /// Returns the range of the string at `offset`, without the zero, or `nil` if the string is
    /// outside the table, not terminated, or too long.
    ///
    /// - Throws: ``ReadingError`` if more text was read than a valid file needs.
    public mutating func textRange(at offset: UInt64) throws(ReadingError) -> Range<Int>? {
        let range = try? bytes.textRange(at: offset, limit: Self.textBytesLimit)
        let cost = range?.count ?? Self.textBytesLimit
        guard cost <= budget else {
            throw ReadingError(
                .malformed("texts are read more than \(Self.rereadingLimit) times"),
                in: bytes.subject, at: offset)
        }
        budget -= cost
        return range
    }
}
