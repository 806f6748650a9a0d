import Synchronization

/// A bounded number of connections to a database, opened when they are needed.
///
/// Transactions get a connection in the order in which they ask. A connection that is lost while it
/// is unused is replaced at the next request.
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

    /// Connects at the first transaction.
    ///
    /// - Throws: ``DatabaseError/libraryUnavailable(_:)``.
    public init(
        _ settings: ConnectionSettings, limits: PoolLimits = PoolLimits()
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

    public var status: PoolStatus {
        state.withLock { state in
            state.queues.values.reduce(into: PoolStatus(open: 0, idle: 0, waiting: 0)) {
                $0.open += $1.openCount
                $0.idle += $1.idle.count
                $0.waiting += $1.waiting.count
            }
        }
    }

    /// Refuses new transactions, and waits until those under way have ended and all connections are
    /// closed.
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

    /// Returns the callers that wait for the end of all connections, once they have ended.
    mutating func takeClosers() -> [CheckedContinuation<Void, Never>] {
        guard isClosed, isEmpty else { return [] }
        defer { closers = [] }
        return closers
    }

    /// Gives up unused connections and waiting requests.
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
