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

    /// A pipeline that commits is not cancelled, because its outcome would depend on timing.
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

    /// Returns the error for the caller. The server reports a cancelled statement both after its
    /// time limit and after a cancel request of this client, so that error is replaced with the
    /// actual reason.
    private func reason(of error: ServerError) -> DatabaseError {
        guard error.sqlState == SQLState.queryCancelled else { return .server(error) }
        if let stop { return stop }
        let isLate = ContinuousClock.now - start >= pipeline.timeLimit
        return isLate ? .timedOut(after: pipeline.timeLimit) : .server(error)
    }
}
