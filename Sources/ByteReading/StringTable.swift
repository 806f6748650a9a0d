/// Texts that another table points at by their offsets, each ended by a zero.
///
/// Texts may share bytes: linkers let one end inside another to save space. So a small table can be
/// made to stand for any amount of text, and what is read of it in all has a bound.
public struct StringTable: Sendable {
    /// How many times its size a table may be read, in all.
    public static let rereadingLimit = 8
    /// What may be read of any table, in bytes: small ones are read over and over in good files.
    public static let freeBytes = 1 << 20
    /// The longest text, in bytes.
    public static let textBytesLimit = 1 << 16

    public let bytes: FileBytes
    private var budget: Int

    public init(_ bytes: FileBytes) {
        self.bytes = bytes
        let (size, overflow) = bytes.count.multipliedReportingOverflow(by: Self.rereadingLimit)
        budget = overflow ? .max : max(size, Self.freeBytes)
    }

    /// Where the text at `offset` lies, without the zero; `nil` if it is not in the table, has no
    /// end, or is too long.
    ///
    /// - Throws: When more was read than an honest file has reason for.
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
