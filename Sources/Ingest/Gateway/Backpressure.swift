import Problems
import Synchronization
import TaskCoordination

/// Delays acknowledgements while the worker lags. Requests wait for a limited time, then are
/// rejected.
final class Backpressure: Sendable {
    private let journal: any Journal
    private let pacing: Mutex<Pacing>
    private let longestWait: Duration

    /// The time for which a request waits while the worker waits for exporters. After that it is
    /// admitted, because the queue has room for the exporters' backlog. The delay leaves CPU time
    /// to the exporters.
    private static let exporterWait = Duration.milliseconds(250)

    /// - Parameters:
    ///   - minimumBytes: The stored bytes that may always wait for the worker, however slow it is.
    ///   - longestWait: The time after which a waiting request is rejected.
    init(
        journal: any Journal, minimumBytes: Int64, longestWait: Duration
    ) async throws(JournalError) {
        self.journal = journal
        self.longestWait = longestWait
        pacing = Mutex(
            Pacing(minimumBytes: minimumBytes, backlog: try await journal.workerBacklog()))
    }

    /// Runs `body`, which appends to the journal, once the worker's backlog is small enough.
    ///
    /// - Throws: `IngestGatewayError` if that takes too long, or if `body` throws.
    func pace(
        bytes: Int, _ body: () async throws(JournalError) -> Void
    ) async throws(IngestGatewayError) {
        do throws(JournalError) {
            let ticket = try await enter(bytes: bytes)
            do throws(JournalError) {
                try await body()
            } catch {
                await leave(ticket, isStored: false)
                throw error
            }
            await leave(ticket, isStored: true)
        } catch { throw IngestGatewayError(error) }
    }

    private static let refusal = Problem(
        "queue", detail: "requests arrive faster than they can be symbolicated",
        suggestion: "send it again later, or give the service more processors")

    /// Waits for admission, and throws if that takes too long.
    private func enter(bytes: Int) async throws(JournalError) -> Pacing.Ticket {
        let latest = try await journal.workerBacklog()
        let (ticket, isWaitingForExporters) = pacing.withLock { pacing in
            (pacing.enter(bytes: bytes, latest), pacing.isWaitingForExporters)
        }
        guard let admission = ticket.admission else { return ticket }
        // Once the worker no longer waits for exporters, the request waits for the worker.
        let waits =
            isWaitingForExporters
            ? [Self.exporterWait, longestWait - Self.exporterWait] : [longestWait]
        for (number, wait) in zip(1..., waits) {
            await admission.wait(atMost: wait)
            let isLast = number == waits.count
            if pacing.withLock({ $0.endWait(of: ticket, isLast: isLast) }) { return ticket }
        }
        throw JournalError(.other, Self.refusal)
    }

    private func leave(_ ticket: Pacing.Ticket, isStored: Bool) async {
        // If the journal does not respond, the last known backlog is used.
        let latest = try? await journal.workerBacklog()
        pacing.withLock { $0.leave(ticket, isStored: isStored, latest) }
    }

    /// Records that the worker has committed a run.
    func worked(in duration: Duration) async {
        guard let latest = try? await journal.workerBacklog() else { return }
        pacing.withLock { $0.worked(latest, in: duration) }
    }

    /// Records that the worker waits for exporters.
    func recordWaitForExporters() { pacing.withLock { $0.recordWaitForExporters() } }
}
