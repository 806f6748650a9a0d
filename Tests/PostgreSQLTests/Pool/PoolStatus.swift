import Synchronization

@testable import PostgreSQL

/// The connections of a pool at one moment.
struct PoolStatus: Hashable {
    /// Connections that are open or being opened.
    var open = 0
    /// Transactions that wait for a connection.
    var waiting = 0
}

extension ConnectionPool {
    var status: PoolStatus {
        state.withLock { state in
            state.queues.values.reduce(into: PoolStatus()) {
                $0.open += $1.openCount
                $0.waiting += $1.waiting.count
            }
        }
    }
}
