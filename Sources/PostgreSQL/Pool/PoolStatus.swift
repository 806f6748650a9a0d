/// The connections of a pool at one moment.
public struct PoolStatus: Hashable, Sendable {
    /// Connections that are open or being opened.
    public var open: Int
    /// Open connections that are unused.
    public var idle: Int
    /// Transactions that wait for a connection.
    public var waiting: Int
}
