extension PipelineExchange {
    /// Receives the results of the next statement.
    mutating func receive(_ statement: Statement, on link: borrowing ServerLink) throws(Loss) {
        link.receiveSingleRows()
        var result = QueryResult()
        while let part = try next(on: link) {
            switch part.kind {
            case .row:
                if !result.append(part, within: statement.limit) {
                    refuseRows(of: statement, link: link)
                }
            case .command, .endOfRows: try finish(&result, end: part)
            case .error: try record(part.error, link: link)
            case .skipped: break
            case .sync, .unexpected: throw Loss(reason: "unexpected response")
            }
        }
        results.append(result)
    }

    private mutating func next(on link: borrowing ServerLink) throws(Loss) -> ServerResult? {
        while !isBroken, link.isBusy { try wait(on: link) }
        return link.nextResult()
    }

    /// Receives the end of the pipeline.
    mutating func receiveSync(on link: borrowing ServerLink) throws(Loss) {
        guard let end = try next(on: link), end.kind == .sync else {
            throw Loss(reason: link.isIntact ? "unexpected response" : link.errorMessage)
        }
    }

    private mutating func finish(_ result: inout QueryResult, end: borrowing ServerResult)
        throws(Loss)
    {
        result.finish(end)
        let isLast = results.count == pipeline.statements.count - 1
        if isLast, pipeline.commits, end.commandTag != "COMMIT" { failure = failure ?? .rolledBack }
    }

    /// A committing pipeline is not stopped, so that its outcome does not depend on the moment.
    private mutating func refuseRows(of statement: Statement, link: borrowing ServerLink) {
        let reason = DatabaseError.resultTooLarge(statement.limit)
        if pipeline.commits { stop = stop ?? reason } else { end(link, because: reason) }
    }

    private mutating func record(_ error: ServerError, link: borrowing ServerLink) throws(Loss) {
        guard link.isIntact, !error.endsConnection, !error.leavesOutcomeUnknown else {
            throw Loss(reason: error.message.isEmpty ? link.errorMessage : error.message)
        }
        guard failure == nil else { return }
        failure = reason(of: error)
    }

    /// The error of the caller: the server's is about a cancelled statement if its own time limit,
    /// or a request of this client, ended it.
    private func reason(of error: ServerError) -> DatabaseError {
        guard error.sqlState == SQLState.queryCancelled else { return .server(error) }
        if let stop { return stop }
        let isLate = ContinuousClock.now - start >= pipeline.timeLimit
        return isLate ? .timedOut(after: pipeline.timeLimit) : .server(error)
    }
}
