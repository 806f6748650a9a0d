import Synchronization

/// A running transaction, valid until the body of
/// ``ConnectionPool/withTransaction(_:isolation:_:)`` returns.
public final class Transaction: Sendable {
    private struct State {
        /// Statements that are sent with the next ones.
        var queued: [Statement]
        var hasEnded = false
        /// The first failure, after which the server rejects all statements.
        var failure: DatabaseError?
    }

    private let connection: Connection
    private let options: TransactionOptions
    private let state: Mutex<State>

    init(_ connection: Connection, options: TransactionOptions) throws(DatabaseError) {
        self.connection = connection
        self.options = options
        state = Mutex(State(queued: try options.beginning()))
    }

    /// Executes a statement and returns its result.
    ///
    /// - Throws: The server's error, ``DatabaseError/connectionLost(_:)``,
    ///   ``DatabaseError/timedOut(after:)``, ``DatabaseError/resultTooLarge(_:)`` or
    ///   ``DatabaseError/cancelled``. The transaction can no longer be committed after any of them.
    public func execute(_ statement: Statement) async throws(DatabaseError) -> QueryResult {
        try await execute([statement]).last ?? QueryResult()
    }

    /// Sends statements together, executes them in order, and returns their results in the same
    /// order.
    ///
    /// - Throws: The error of the first statement that failed, as ``execute(_:)-(Statement)`` does.
    ///   The statements after it are not executed.
    public func execute(_ statements: [Statement]) async throws(DatabaseError) -> [QueryResult] {
        guard !statements.isEmpty else { return [] }
        let pending = try submit(statements)
        do {
            let results = try await connection.results(of: pending, isCancellable: true)
            return Array(results.suffix(statements.count))
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            throw error
        }
    }

    /// Statements are submitted under the lock, so that they are executed in the order of the
    /// calls.
    private func submit(
        _ statements: [Statement]
    ) throws(DatabaseError) -> PendingResult<[QueryResult]> {
        try state.withLock { state throws(DatabaseError) in
            if state.hasEnded { throw .closed }
            if let failure = state.failure { throw failure }
            let pipeline = Pipeline(
                statements: state.queued + statements, commits: false,
                timeLimit: options.timeLimit)
            state.queued = []
            return connection.submit(pipeline)
        }
    }

    /// Commits, together with the queued statements.
    ///
    /// - Throws: ``DatabaseError/outcomeUnknown(_:)`` if the connection was lost meanwhile, the
    ///   first failure of a statement, even if the body ignored it, or the server's error.
    func commit() async throws(DatabaseError) {
        let (queued, failure) = state.withLock { state in
            state.hasEnded = true
            return (state.queued, state.failure)
        }
        if let failure { throw failure }
        let pipeline = Pipeline(
            statements: queued + [.commit], commits: !options.isReadOnly,
            timeLimit: options.timeLimit)
        let pending = connection.submit(pipeline)
        _ = try await connection.results(of: pending, isCancellable: options.isReadOnly)
    }

    /// Rejects further statements.
    func end() { state.withLock { $0.hasEnded = true } }
}
