import Synchronization

extension ConnectionPool {
    /// Returns a connection that is between two transactions. The caller must return it with
    /// ``release(_:kind:isClean:)``.
    func acquire(_ kind: ConnectionClass) async throws(DatabaseError) -> Connection {
        let request = Request()
        admit(request, kind: kind)
        if request.isResolved { return try await request.outcome().get() }
        async let _: Void = expire(request)
        let outcome = await request.outcome(onCancel: {})
        guard case .failure(let error) = outcome else { return try outcome.get() }
        let wasWaiting = state.withLock { $0.queues[kind]?.forget(request) ?? false }
        guard case .timedOut(let limit) = error else { throw error }
        if wasWaiting { throw .poolExhausted(after: limit) }
        throw .cannotConnect([
            HostFailure(host: settings.displayName, reason: "no response within \(limit)")
        ])
    }

    private func expire(_ request: Request) async {
        do {
            try await Task.sleep(for: limits.acquisition)
            request.resolve(.failure(.timedOut(after: limits.acquisition)))
        } catch {
            // The request was completed or cancelled.
        }
    }

    private func admit(_ request: Request, kind: ConnectionClass) {
        let admission = state.withLock { state in
            state.isClosed ? nil : state.queues[kind]?.admit(request)
        }
        switch admission {
        case .use(let connection): hand(connection, to: request, kind: kind)
        case .open: open(for: request, kind: kind)
        case .wait: break
        case nil: request.resolve(.failure(.closed))
        }
    }

    /// Returns a connection to the pool, after a rollback if its transaction did not end.
    ///
    /// - Parameter isClean: Whether the transaction is known to have ended.
    func release(_ connection: Connection, kind: ConnectionClass, isClean: Bool) {
        guard !isClean else { return reuse(connection, kind: kind) }
        connection.reset { isUsable in
            if isUsable { self.reuse(connection, kind: kind) } else { connection.close() }
        }
    }

    /// A connection may be lost after its last transaction has ended. If the loss is noticed only
    /// after this check, ``withdraw(_:kind:)`` removes the connection, which is idle then.
    private func reuse(_ connection: Connection, kind: ConnectionClass) {
        let (request, isUsable) = state.withLock { state in
            guard !state.isClosed, !connection.isLost else { return (nil as Request?, false) }
            return (state.queues[kind]?.add(connection), true)
        }
        if !isUsable { return connection.close() }
        if let request { hand(connection, to: request, kind: kind) }
    }

    /// If the request was cancelled or has timed out, the connection goes back to the pool.
    private func hand(_ connection: Connection, to request: Request, kind: ConnectionClass) {
        if !request.resolve(.success(connection)) { reuse(connection, kind: kind) }
    }

    private func open(for request: Request, kind: ConnectionClass) {
        let connection: Connection
        do {
            connection = try makeConnection(kind)
        } catch {
            request.resolve(.failure(error))
            return ended(kind)
        }
        connection.open { [self] result in
            switch result {
            case .success: hand(connection, to: request, kind: kind)
            case .failure(let error):
                request.resolve(.failure(error))
                connection.close()
            }
        }
    }

    private func makeConnection(_ kind: ConnectionClass) throws(DatabaseError) -> Connection {
        let reference = ConnectionReference()
        let connection = try Connection(
            settings, library: library,
            events: Connection.Events(
                lost: { [weak self] in
                    if let connection = reference.value { self?.withdraw(connection, kind: kind) }
                },
                ended: { [weak self] in self?.ended(kind) }))
        reference.value = connection
        return connection
    }

    private func withdraw(_ connection: Connection, kind: ConnectionClass) {
        let wasIdle = state.withLock { $0.queues[kind]?.withdraw(connection) ?? false }
        // A connection in use is closed when it is returned.
        if wasIdle { connection.close() }
    }

    /// Frees the slot of a connection.
    private func ended(_ kind: ConnectionClass) {
        let (request, closers) = state.withLock { state in
            (state.queues[kind]?.removeOne(), state.takeClosers())
        }
        for closer in closers { closer.resume() }
        if let request { open(for: request, kind: kind) }
    }
}
