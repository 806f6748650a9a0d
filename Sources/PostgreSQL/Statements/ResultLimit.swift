/// The maximum size of a statement's result. At the first row beyond it, the statement is
/// cancelled.
public struct ResultLimit: Hashable, Sendable {
    public var rows: Int
    /// The limit of all values together, in bytes.
    public var bytes: Int

    public init(rows: Int, bytes: Int) {
        self.rows = rows
        self.bytes = bytes
    }

    /// 10,000 rows with 64 MiB.
    public static let standard = Self(rows: 10_000, bytes: 64 << 20)
}
