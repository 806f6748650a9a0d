import Synchronization

/// The loop of a connection's thread.
struct ConnectionThread: Sendable {
    let settings: ConnectionSettings
    let library: LibPQ
    let mailbox: Mailbox
    let events: Connection.Events

    func run() {
        var session = Session(wakePipe: mailbox.wakePipe)
        while let work = next(watching: &session) { carryOut(work, session: &session) }
        session.close()
        events.ended()
    }

    private func carryOut(_ work: Mailbox.Work, session: inout Session) {
        switch work {
        case .run(let pipeline, pending: let pending):
            let outcome = session.run(pipeline, pending: pending)
            // Before resolving the result, so that the caller does not return a lost connection to
            // the pool.
            reportLoss(of: session)
            pending.resolve(outcome)
        case .reset(let completion): completion(session.reset())
        case .open(let completion):
            completion(
                Result { () throws(DatabaseError) in try session.open(settings, library) })
        }
    }

    /// Waits for work, and notices if the connection ends.
    ///
    /// - Returns: The next work, or `nil` if the connection is closed.
    private func next(watching session: inout Session) -> Mailbox.Work? {
        while true {
            switch mailbox.next() {
            case .work(let work): return work
            case .closed: return nil
            case .nothing: wait(watching: &session)
            }
        }
    }

    private func wait(watching session: inout Session) {
        let ready = SocketReadiness.wait(
            socket: session.socket, wakePipe: mailbox.wakePipe, until: nil)
        if ready.isWoken { mailbox.wakePipe.drain() }
        guard ready.isSocketReady else { return }
        session.readUnasked()
        reportLoss(of: session)
    }

    private func reportLoss(of session: borrowing Session) {
        guard !session.isOpen else { return }
        mailbox.isLost.store(true, ordering: .releasing)
        events.lost()
    }
}
