extension PipelineExchange {
    /// Sends all statements, and reads the results that arrive in the meantime.
    mutating func send(on link: borrowing ServerLink) throws(Loss) {
        for statement in pipeline.statements {
            guard link.send(statement) else { throw Loss(reason: link.errorMessage) }
        }
        guard link.sendSync() else { throw Loss(reason: link.errorMessage) }
        while !isBroken {
            switch link.flush() {
            case .finished: return
            // The server may have sent the reason before it closed the connection, so results are
            // still read.
            case .failed: isBroken = true
            // The server may not read more until its responses are read.
            case .blocked: try wait(on: link, isWriting: true)
            }
        }
    }

    /// Waits until the socket is ready, and reads what has arrived.
    mutating func wait(on link: borrowing ServerLink, isWriting: Bool = false) throws(Loss) {
        let ready = SocketReadiness.wait(
            socket: link.socket, isWriting: isWriting, wakePipe: wakePipe, until: deadline)
        if ready.isWoken {
            wakePipe.drain()
            if pending.isResolved { end(link, because: .cancelled) }
        }
        if ready.isSocketReady {
            isBroken = !link.consumeInput()
        } else if ContinuousClock.now >= deadline {
            try giveUp(on: link)
        }
    }

    /// Stops waiting for results at the deadline.
    ///
    /// If a commit is cancelled, the server stops waiting for its synchronous replica and reports
    /// success. So a pipeline that commits is not cancelled: its connection is closed, and its
    /// outcome is unknown.
    private mutating func giveUp(on link: borrowing ServerLink) throws(Loss) {
        guard stop == nil, !pipeline.commits else {
            throw Loss(reason: "no response from the server")
        }
        end(link, because: .timedOut(after: pipeline.timeLimit))
    }

    /// Asks the server to end the running statement of a pipeline that does not commit, and resolves
    /// its results.
    mutating func end(_ link: borrowing ServerLink, because reason: DatabaseError) {
        guard stop == nil else { return }
        stop = reason
        pending.resolve(.failure(reason))
        cancelRequest = link.cancelRequest()
        cancelRequest?.send { [wakePipe] in wakePipe.wake() }
        deadline = .now + Self.cancellationGrace
    }
}
