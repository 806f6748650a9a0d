import Synchronization

/// Slows acknowledgements down while the worker is behind: requests wait a bounded time for their turn,
/// and are refused after that.
final class Backpressure: Sendable {
    private let journal: any Journal
    private let pacing: Mutex<Pacing>
    private let longestWait: Duration

    /// How long a request waits while the worker waits for exporters. It is let in then: what exporters are
    /// behind with is for the queue to keep, but they need a processor as well.
    private static let heldUpWait = Duration.milliseconds(250)

    /// - Parameters:
    ///   - leastBytes: What may wait for the worker however slow it is, as stored.
    ///   - longestWait: How long a request waits at most.
    init(
        journal: any Journal, leastBytes: Int64, longestWait: Duration
    ) async throws(JournalError) {
        self.journal = journal
        self.longestWait = longestWait
        pacing = Mutex(Pacing(leastBytes: leastBytes, backlog: try await journal.workerBacklog()))
    }

    /// Runs `body`, which appends to the journal, when the worker has caught up far enough.
    ///
    /// - Throws: If that takes too long.
    func pace(
        bytes: Int, _ body: () async throws(JournalError) -> Void
    ) async throws(ReceptionError) {
        do throws(JournalError) {
            let isAdmitted = await enter(bytes: bytes, try await journal.workerBacklog())
            guard isAdmitted else { throw JournalError(.other, Self.refusal) }
            do throws(JournalError) {
                try await body()
            } catch {
                await leave(bytes: bytes)
                throw error
            }
            await leave(bytes: bytes)
        } catch { throw ReceptionError(error) }
    }

    private static let refusal =
        "queue: more arrives than can be symbolicated: send again later, or give the service "
        + "more processors"

    /// - Returns: Whether the request is let in.
    private func enter(bytes: Int, _ latest: WorkerBacklog) async -> Bool {
        let (ticket, isHeldUp) = pacing.withLock { pacing in
            (pacing.enter(bytes: bytes, latest), pacing.isHeldUp)
        }
        guard let ticket else { return true }
        await ticket.turn.wait(atMost: isHeldUp ? Self.heldUpWait : longestWait)
        return pacing.withLock { $0.end(ticket) }
    }

    private func leave(bytes: Int) async {
        // A journal that does not answer changes nothing about the backlog.
        let latest = try? await journal.workerBacklog()
        pacing.withLock { $0.leave(bytes: bytes, latest) }
    }

    /// Notes that the worker has committed a run.
    func worked(in duration: Duration) async {
        guard let latest = try? await journal.workerBacklog() else { return }
        pacing.withLock { $0.worked(latest, in: duration) }
    }

    /// Notes that the worker waits for exporters.
    func holdUp() { pacing.withLock { $0.holdUp() } }
}
