/// A pipeline in flight: sends the statements, and receives their results in order.
struct PipelineExchange {
    /// A lost connection whose effect on the transaction is not yet determined.
    struct Loss: Error {
        let reason: String
    }

    /// The time for the server to end a statement after a cancel request.
    static let cancellationGrace: Duration = .seconds(5)

    let pipeline: Pipeline
    let pending: PendingResult<[QueryResult]>
    let wakePipe: WakePipe
    var deadline: ContinuousClock.Instant
    let start: ContinuousClock.Instant
    var results: [QueryResult] = []
    /// The error of the first statement that failed.
    var failure: DatabaseError?
    /// The reason why the remaining results are discarded, or `nil` if they are not.
    var stop: DatabaseError?
    /// The request by which the server was asked to stop.
    var cancelRequest: CancelRequest?
    /// Whether the connection is broken, so that nothing more will arrive.
    var isBroken = false

    init(_ pipeline: Pipeline, pending: PendingResult<[QueryResult]>, wakePipe: WakePipe) {
        self.pipeline = pipeline
        self.pending = pending
        self.wakePipe = wakePipe
        start = .now
        deadline = start + pipeline.timeLimit + Self.serverLead
    }

    /// The time by which the client's limit exceeds the server's own, which needs no second
    /// connection to take effect.
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

    /// Waits until the cancel request is complete. Otherwise it could cancel a statement of the
    /// next transaction.
    private mutating func awaitCancelRequest() {
        while let cancelRequest, !cancelRequest.isFinished, ContinuousClock.now < deadline {
            _ = SocketReadiness.wait(socket: -1, wakePipe: wakePipe, until: deadline)
            wakePipe.drain()
        }
    }

    /// Whether the connection must not be used again.
    var endsSession: Bool { hasReachedStandby || cancelRequest?.isFinished == false }

    /// Whether the server rejected a write as read-only, as a former primary does after a failover.
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
