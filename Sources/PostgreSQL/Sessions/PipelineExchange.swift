/// A pipeline in flight: sends the statements, and receives their results in order.
struct PipelineExchange {
    /// A lost connection whose effect on the transaction is not yet determined.
    struct Loss: Error {
        let reason: String
    }

    /// The time that the server has to end a statement on request.
    static let cancellationGrace: Duration = .seconds(5)

    let pipeline: Pipeline
    let pending: PendingResult<[QueryResult]>
    let wakePipe: WakePipe
    var deadline: ContinuousClock.Instant
    let start: ContinuousClock.Instant
    var results: [QueryResult] = []
    /// The error of the first statement that failed.
    var failure: DatabaseError?
    /// The reason why the rest of the results is not wanted.
    var stop: DatabaseError?
    /// The request by which the server was asked to stop.
    var cancelRequest: CancelRequest?
    /// Whether nothing more can arrive than what has.
    var isBroken = false

    init(_ pipeline: Pipeline, pending: PendingResult<[QueryResult]>, wakePipe: WakePipe) {
        self.pipeline = pipeline
        self.pending = pending
        self.wakePipe = wakePipe
        start = .now
        deadline = start + pipeline.timeLimit + Self.serverLead
    }

    /// The time by which the server's own limit comes first, which needs no second connection.
    private static let serverLead: Duration = .milliseconds(500)

    /// Runs the pipeline to its end.
    ///
    /// - Throws: ``Loss`` if the connection was lost before all results were received.
    mutating func run(on link: borrowing ServerLink) throws(Loss) {
        try send(on: link)
        for statement in pipeline.statements { try receive(statement, on: link) }
        try receiveSync(on: link)
        awaitCancelRequest()
    }

    /// A request under way could end a statement of the next transaction.
    private mutating func awaitCancelRequest() {
        while let cancelRequest, !cancelRequest.isFinished, ContinuousClock.now < deadline {
            _ = SocketReadiness.wait(socket: -1, wakePipe: wakePipe, until: deadline)
            wakePipe.drain()
        }
    }

    /// Whether the connection must not be used again.
    var endsSession: Bool { hasReachedStandby || cancelRequest?.isFinished == false }

    /// Whether the server has become one that refuses to write, so that another host is the
    /// primary.
    private var hasReachedStandby: Bool {
        if case .server(let error) = failure { error.sqlState == SQLState.readOnly } else { false }
    }

    /// The results, or the first failure.
    var outcome: Result<[QueryResult], DatabaseError> {
        if let failure { return .failure(failure) }
        if case .resultTooLarge = stop, let stop { return .failure(stop) }
        return .success(results)
    }

    /// The error for a lost connection.
    func error(of loss: Loss) -> DatabaseError {
        if let failure { return failure }
        if pipeline.commits { return .outcomeUnknown(loss.reason) }
        return stop ?? .connectionLost(loss.reason)
    }
}
