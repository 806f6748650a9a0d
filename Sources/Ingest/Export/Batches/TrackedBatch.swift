/// A batch being delivered, with the history of its failures.
struct TrackedBatch: Sendable {
    /// The latest failed attempt.
    enum Failure: Sendable {
        /// The receiver may accept it later.
        case transient(reason: String)
        /// Like `transient`, or the receiver is too slow for a batch of this size.
        case timeout(reason: String)
        case refusal(reason: String, isForContent: Bool)

        var reason: String {
            switch self {
            case .transient(let reason), .timeout(let reason), .refusal(let reason, _): reason
            }
        }

        var isRefusal: Bool {
            if case .refusal = self { true } else { false }
        }
    }

    var content: CoalescedBatch
    /// `nil` before the first failure.
    var failure: Failure?
    /// The time of the first failure.
    var firstFailure: Duration?
    /// The number of requests of its signal that had been sent at its first and at its latest
    /// refusal. If a later request is accepted, the receiver had already refused this one.
    var sendsAtRefusal: (first: Int, last: Int)?
    /// The number of its latest request among those of its signal.
    var lastSend = 0
    var failureCount = 0
    /// The number of failures of the larger batches that contained it, see ``shortened(to:)``.
    var earlierFailureCount = 0
    /// The number of attempts without a response in time.
    var timeoutCount = 0
    /// The number of refusals after others were accepted; see ``SignalQueue/confirmationLimit``.
    var confirmationCount = 0
    /// For transient failures, the sum over all attempts of the share of other requests that were
    /// accepted meanwhile.
    var evidence = 0.0
    /// The counts of its queue at its latest failure.
    var countsAtFailure = SignalQueue.Counts()
    /// The time of the next attempt.
    var due = Duration.zero
    var backoff: ExportBackoff

    init(_ content: CoalescedBatch, retry: RetrySettings) {
        self.content = content
        backoff = ExportBackoff(retry)
    }

    var isRefused: Bool { failure?.isRefusal ?? false }

    /// Returns a batch with a part of the content of this one, for which the receiver is too slow.
    /// Its backoff continues from that of this one, and a single further timeout divides it again.
    func shortened(to content: CoalescedBatch) -> TrackedBatch {
        var batch = self
        batch.content = content
        batch.earlierFailureCount += failureCount
        batch.failureCount = 0
        batch.timeoutCount -= 1
        return batch
    }

    /// Returns a batch with a part of the content of this one, which was refused. The times of the
    /// first failure and refusal are kept.
    func divided(_ content: CoalescedBatch, evidence: Double) -> TrackedBatch {
        var batch = self
        batch.content = content
        batch.failureCount = 0
        batch.earlierFailureCount = 0
        batch.timeoutCount = 0
        batch.confirmationCount = 0
        batch.evidence = evidence
        batch.due = .zero
        batch.backoff.reset()
        return batch
    }
}
