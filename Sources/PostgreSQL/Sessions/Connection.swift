import Synchronization
import TaskCoordination

/// A connection to the server with a thread of its own, on which libpq may block.
///
/// The thread ends when the connection is closed or its last reference is released.
final class Connection: Sendable {
    /// Callbacks that notify the owner of a connection about its end, on the connection's thread.
    struct Events: Sendable {
        /// The connection was lost.
        let lost: @Sendable () -> Void
        /// The thread has ended, and the server's side is closed.
        let ended: @Sendable () -> Void
    }

    private let mailbox: Mailbox

    /// Starts the thread. The connection is opened by ``open(then:)``.
    ///
    /// - Throws: ``DatabaseError/cannotConnect(_:)`` if there are no descriptors or threads left.
    init(
        _ settings: ConnectionSettings, library: LibPQ, events: Events
    ) throws(DatabaseError) {
        mailbox = try Mailbox()
        let thread = ConnectionThread(
            settings: settings, library: library, mailbox: mailbox, events: events)
        guard startThread({ thread.run() }) == 0 else {
            throw .cannotConnect([HostFailure(host: nil, reason: "too many threads")])
        }
    }

    deinit { mailbox.close() }

    /// Whether the connection was lost, as far as its thread has noticed.
    var isLost: Bool { mailbox.isLost.load(ordering: .acquiring) }

    /// Connects, and calls `completion` on the connection's thread.
    func open(then completion: @escaping @Sendable (Result<Void, DatabaseError>) -> Void) {
        if !mailbox.send(.open(completion)) { completion(.failure(.closed)) }
    }

    /// Runs a pipeline after all pipelines that were submitted earlier.
    func submit(_ pipeline: Pipeline) -> PendingResult<[QueryResult]> {
        let pending = PendingResult<[QueryResult]>()
        if !mailbox.send(.run(pipeline, pending: pending)) { pending.resolve(.failure(.closed)) }
        return pending
    }

    /// Waits for the results of a pipeline.
    ///
    /// Cancelling the task does not cancel a pipeline that commits, because its outcome would be
    /// unknown. Its time limit bounds the wait.
    func results(
        of pending: PendingResult<[QueryResult]>, isCancellable: Bool
    ) async throws(DatabaseError) -> [QueryResult] {
        guard isCancellable else { return try await pending.outcome().get() }
        let wakePipe = mailbox.wakePipe
        return try await pending.outcome(onCancel: { wakePipe.wake() }).get()
    }

    /// Rolls back an unfinished transaction, then calls `completion` on the connection's thread
    /// with whether the connection can be used again.
    func reset(then completion: @escaping @Sendable (Bool) -> Void) {
        if !mailbox.send(.reset(completion)) { completion(false) }
    }

    /// Closes the connection after its queued work.
    func close() { mailbox.close() }
}
