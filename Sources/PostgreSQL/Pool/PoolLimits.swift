/// The bounds of a connection pool.
public struct PoolLimits: Hashable, Sendable {
    /// The number of connections. One of them is reserved for ``ConnectionClass/renewal``.
    public var connections: Int
    /// The maximum time to wait for a connection, including the time to open it.
    public var acquisition: Duration

    /// - Parameter connections: At least 2 are used.
    public init(connections: Int = 8, acquisition: Duration = .seconds(10)) {
        self.connections = max(connections, 2)
        self.acquisition = acquisition
    }
}

/// The class of connections that a transaction uses.
public enum ConnectionClass: Hashable, Sendable, CaseIterable {
    /// All connections but the reserved one.
    case general
    /// The connection that is reserved for renewing leases, so that no load delays them.
    case renewal
}
