import Synchronization

/// The work of a connection's thread, in the order of its arrival.
final class Mailbox: Sendable {
    enum Work {
        case open(@Sendable (Result<Void, DatabaseError>) -> Void)
        case run(Pipeline, pending: PendingResult<[QueryResult]>)
        /// Reports whether the connection can be used for another transaction.
        case reset(@Sendable (Bool) -> Void)
    }

    enum Content {
        case work(Work)
        case nothing
        /// The connection is being closed, and the thread must end.
        case closed
    }

    private struct State {
        var work: [Work] = []
        var isClosed = false
    }

    let wakePipe: WakePipe
    /// Whether the connection to the server was lost. It is set before the owner is notified.
    let isLost = Atomic(false)
    private let state = Mutex(State())

    init() throws(DatabaseError) { wakePipe = try WakePipe() }

    /// - Returns: Whether the work was accepted. A closed mailbox accepts none.
    func send(_ work: Work) -> Bool {
        let isAccepted = state.withLock { state in
            guard !state.isClosed else { return false }
            state.work.append(work)
            return true
        }
        wakePipe.wake()
        return isAccepted
    }

    /// Lets the thread finish its queued work, and then end.
    func close() {
        state.withLock { $0.isClosed = true }
        wakePipe.wake()
    }

    func next() -> Content {
        state.withLock { state in
            if !state.work.isEmpty { return .work(state.work.removeFirst()) }
            return state.isClosed ? .closed : .nothing
        }
    }
}
