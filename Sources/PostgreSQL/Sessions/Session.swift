/// A connection's link to the server, used by its thread only.
struct Session: ~Copyable {
    private let wakePipe: WakePipe
    /// `nil` before the connection is open, and after it was lost.
    private var link: ServerLink?

    init(wakePipe: WakePipe) { self.wakePipe = wakePipe }

    var isOpen: Bool {
        switch link {
        case .some: true
        case .none: false
        }
    }

    /// The socket, or -1 if there is none.
    var socket: Int32 {
        switch link {
        case .some(let link): link.socket
        case .none: -1
        }
    }

    /// Whether the session is open and between two transactions.
    private var isIdle: Bool {
        switch link {
        case .some(let link): link.isIdle
        case .none: false
        }
    }

    /// Connects, and blocks until it is done.
    mutating func open(_ settings: ConnectionSettings, _ library: LibPQ) throws(DatabaseError) {
        link = try ServerLink.open(try settings.complete(), library)
    }

    mutating func close() { link = nil }

    /// Reads what arrived while the connection was idle: notices, or the end of the connection.
    mutating func readUnasked() {
        guard let link = link.take() else { return }
        if link.consumeInput() { self.link = consume link }
    }

    /// Runs a pipeline. Afterwards the session may be closed.
    ///
    /// - Parameter pending: Resolved before this function returns if the result is known early;
    ///   otherwise by the caller.
    mutating func run(
        _ pipeline: Pipeline, pending: PendingResult<[QueryResult]>
    ) -> Result<[QueryResult], DatabaseError> {
        guard !pending.isResolved else { return .failure(.cancelled) }
        guard isOpen else { return .failure(.connectionLost("server closed the connection")) }
        var exchange = PipelineExchange(pipeline, pending: pending, wakePipe: wakePipe)
        return outcome(of: &exchange)
    }

    private mutating func outcome(
        of exchange: inout PipelineExchange
    ) -> Result<[QueryResult], DatabaseError> {
        guard let link = link.take() else { return .failure(.closed) }
        do {
            try exchange.run(on: link)
            if !exchange.endsSession { self.link = consume link }
            return exchange.outcome
        } catch {
            return .failure(exchange.error(of: error))
        }
    }

    /// Rolls back a transaction that a failed or cancelled caller left open.
    ///
    /// - Returns: Whether the session can be used for another transaction.
    mutating func reset() -> Bool {
        guard isOpen, !isIdle else { return isOpen }
        _ = run(
            Pipeline(statements: [.rollback], commits: false, timeLimit: Self.resetLimit),
            pending: PendingResult())
        if !isIdle { link = nil }
        return isOpen
    }

    private static let resetLimit: Duration = .seconds(5)
}
