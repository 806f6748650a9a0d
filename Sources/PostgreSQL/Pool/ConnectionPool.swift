import Synchronization

/// A pool of connections to a database, opened on demand.
///
/// Transactions get connections in the order of their requests. A connection that is lost while
/// idle is replaced at the next request.
public final class ConnectionPool: Sendable {
    typealias Request = PendingResult<Connection>

    struct State {
        var queues: [ConnectionClass: SlotQueue<Connection, Request>]
        var isClosed = false
        /// Callers of ``ConnectionPool/close()``.
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let settings: ConnectionSettings
    let limits: PoolLimits
    let library: LibPQ
    let state: Mutex<State>

    /// Creates a pool, which connects at the first transaction.
    ///
    /// - Throws: ``DatabaseError/libraryUnavailable(_:)``.
    public init(
        _ settings: ConnectionSettings, limits: PoolLimits
    ) throws(DatabaseError) {
        self.settings = settings
        self.limits = limits
        library = try LibPQ.loaded.get()
        state = Mutex(
            State(queues: [
                .general: SlotQueue(limit: limits.connections - 1), .renewal: SlotQueue(limit: 1),
            ]))
    }

    deinit {
        for connection in state.withLock({ $0.drain().idle }) { connection.close() }
    }

    /// Rejects new transactions, and waits until running transactions have ended and all
    /// connections are closed.
    public func close() async {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            return state.drain()
        }
        for request in waiting { request.resolve(.failure(.closed)) }
        for connection in idle { connection.close() }
        await withCheckedContinuation { closer in
            let isEmpty = state.withLock { state in
                guard !state.isEmpty else { return true }
                state.closers.append(closer)
                return false
            }
            if isEmpty { closer.resume() }
        }
    }
}

extension ConnectionPool.State {
    var isEmpty: Bool { queues.values.allSatisfy { $0.openCount == 0 } }

    /// Returns the callers that wait for all connections to end, once they have ended.
    mutating func takeClosers() -> [CheckedContinuation<Void, Never>] {
        guard isClosed, isEmpty else { return [] }
        defer { closers = [] }
        return closers
    }

    /// Removes and returns all idle connections and waiting requests.
    mutating func drain() -> (idle: [Connection], waiting: [ConnectionPool.Request]) {
        var (idle, waiting): ([Connection], [ConnectionPool.Request]) = ([], [])
        for kind in ConnectionClass.allCases {
            guard let drained = queues[kind]?.drain() else { continue }
            idle += drained.idle
            waiting += drained.waiting
        }
        return (idle, waiting)
    }
}
