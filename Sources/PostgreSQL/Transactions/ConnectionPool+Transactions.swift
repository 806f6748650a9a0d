extension ConnectionPool {
    /// Runs `body` in a transaction, and commits when it returns.
    ///
    /// The transaction is rolled back if `body` throws. After a serialization failure, a deadlock
    /// or a lock timeout, the transaction is retried, and `body` is called again.
    ///
    /// - Returns: The result of `body`, once the commit is durable.
    /// - Throws: The error of `body`, unchanged, or a ``DatabaseError``: after
    ///   ``DatabaseError/outcomeUnknown(_:)`` the changes may or may not have been made, after any
    ///   other error they have not.
    public func withTransaction<Value>(
        _ options: TransactionOptions = TransactionOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        while true {
            do {
                return try await runOnce(options, body)
            } catch let error as DatabaseError where error.isTransient && attempt < options.retries
            {
                attempt += 1
                try await Self.backOff(attempt)
            }
        }
    }

    private func runOnce<Value>(
        _ options: TransactionOptions, isolation: isolated (any Actor)? = #isolation,
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let connection = try await acquire(options.connectionClass)
        var isClean = false
        defer { release(connection, kind: options.connectionClass, isClean: isClean) }
        let transaction = try Transaction(connection, options: options)
        defer { transaction.end() }
        let value = try await body(transaction)
        try await transaction.commit()
        isClean = true
        return value
    }

    /// Executes statements in a transaction of their own, in one round trip together with the
    /// commit.
    ///
    /// A transaction that writes runs to its end even if the task is cancelled.
    ///
    /// - Returns: The results in the order of the statements, once the commit is durable.
    /// - Throws: ``DatabaseError/outcomeUnknown(_:)`` if the connection was lost, or the server was
    ///   late, before the outcome was known, or ``DatabaseError/resultTooLarge(_:)``, after which the changes of a
    ///   transaction that writes are committed. After any other error nothing was changed.
    public func transact(
        _ statements: [Statement], _ options: TransactionOptions = TransactionOptions()
    ) async throws(DatabaseError) -> [QueryResult] {
        var attempt = 0
        while true {
            do {
                return try await transactOnce(statements, options: options)
            } catch {
                guard error.isTransient, attempt < options.retries else { throw error }
                attempt += 1
                try await Self.backOff(attempt)
            }
        }
    }

    private func transactOnce(
        _ statements: [Statement], options: TransactionOptions
    ) async throws(DatabaseError) -> [QueryResult] {
        let beginning = try options.beginning()
        let pipeline = Pipeline(
            statements: beginning + statements + [.commit], commits: !options.isReadOnly,
            timeLimit: options.timeLimit)
        let connection = try await acquire(options.connectionClass)
        var isClean = false
        defer { release(connection, kind: options.connectionClass, isClean: isClean) }
        let results = try await connection.results(
            of: connection.submit(pipeline), isCancellable: options.isReadOnly)
        isClean = true
        return Array(results.dropFirst(beginning.count).prefix(statements.count))
    }

    /// Executes one statement outside of a transaction, as
    /// `ALTER TABLE … DETACH PARTITION … CONCURRENTLY` requires.
    ///
    /// Such a statement commits several times. After an error it may have been executed partially.
    public func executeAlone(
        _ statement: Statement, timeLimit: Duration
    ) async throws(DatabaseError) -> QueryResult {
        let pipeline = Pipeline(statements: [statement], commits: false, timeLimit: timeLimit)
        let connection = try await acquire(.general)
        var isClean = false
        defer { release(connection, kind: .general, isClean: isClean) }
        let results = try await connection.results(
            of: connection.submit(pipeline), isCancellable: true)
        isClean = true
        return results.last ?? QueryResult()
    }

    /// Waits for a random number of milliseconds, so that transactions that collided do not collide
    /// again.
    private static func backOff(_ attempt: Int) async throws(DatabaseError) {
        do {
            try await Task.sleep(for: .milliseconds(Int.random(in: 5...20) << min(attempt, 6)))
        } catch {
            throw .cancelled
        }
    }
}
