/// The undelivered batches of one signal and one exporter. A state machine without I/O.
///
/// A failure alone, whatever its status, does not show whether the receiver is down or the records
/// are bad. So a failed batch is pending until the outcomes of other requests show the cause:
///
/// - Nothing is accepted: this is an outage. No batch becomes a dead letter, and soon only one
///   request at a time is tried, at growing intervals.
/// - A request sent after the refusal is accepted: if the batch is then refused again, and only
///   this batch, it is bad and becomes a dead letter.
///
/// Refused batches are divided into halves, down to single records, because a receiver that refuses
/// one record refuses all records sent with it. In an outage, this is as slow as everything else.
///
/// Transient failures (429, 503, no connection) are retried until the batch is accepted, or has to
/// make way for other signals. But a batch that fails many times while nearly all others are
/// accepted also counts as bad.
///
/// A batch that times out is divided as well, even while nothing is accepted: a receiver that is
/// too slow for it would receive the whole batch again and again without accepting it.
struct SignalQueue {
    enum FailureResult: Sendable {
        case pending
        case halved
        case deadLetter(reason: String)
    }

    /// The numbers of requests with a response.
    struct Counts: Sendable {
        var accepted = 0
        var failed = 0
    }

    /// If at least this many batches are refused or fail repeatedly, with none accepted since, only
    /// one request at a time is tried.
    static let freeFailureCount = 4
    /// The maximum number of pending batches while new ones are started. Their size is limited too.
    static let pendingLimit = 4_096
    /// The number of refusals, after others were accepted, that make a record a dead letter. One is
    /// enough if the response is about the content and nothing else was refused meanwhile. If other
    /// batches are refused too, a refusal counts only if a request was accepted in between.
    static let confirmationLimit = 3
    /// The evidence at which transient failures count as a refusal. If half of the batches sent at
    /// the same time are accepted, the probability that a batch fails this often by chance is one
    /// in four billion.
    static let evidenceLimit = 16.0
    /// The initial evidence of a divided batch's halves, so that further divisions take less time.
    static let evidenceOfHalves = 12.0
    /// The number of timeouts after which a batch is divided.
    static let timeoutLimit = 2
    /// The number of failures after which a batch loses its slot to others.
    static let slotAttemptLimit = 8
    /// The number of consecutive failures after which an accepted request is a recovery.
    static let recoveryStreak = 3

    private let retry: RetrySettings
    private let pendingBytesLimit: Int
    private(set) var pending: [TrackedBatch] = []
    private var counts = Counts()
    private var sendCount = 0
    /// The number of the last accepted request.
    private var lastAccepted = 0
    /// The number of failures since a request was accepted.
    private var streak = 0
    private var hasGivenUp = false
    /// Whether so many requests failed since the last accepted one that only one at a time is
    /// tried.
    private var isOut = false
    private(set) var failingSince: Duration?
    private(set) var lastSuccess: Duration?
    /// The end of the pause that the receiver requested.
    private var closedUntil = Duration.zero
    /// The time of the next attempt in an outage.
    private var probeDue = Duration.zero
    private var backoff: ExportBackoff
    private var inFlightCount = 0

    init(retry: RetrySettings, pendingBytesLimit: Int) {
        self.retry = retry
        self.pendingBytesLimit = pendingBytesLimit
        backoff = ExportBackoff(retry)
    }

    private func isOpen(_ now: Duration) -> Bool {
        now >= closedUntil && (!isOut || inFlightCount == 0 && now >= probeDue)
    }

    /// Whether a pending batch keeps its slot, so that no other batch of the signal is sent instead.
    func keepsSlot(_ batch: TrackedBatch, slotCount: Int) -> Bool {
        guard batch.failureCount > 0, !batch.isRefused else { return false }
        return batch.failureCount < Self.slotAttemptLimit || slotCount == 1
    }

    /// Whether a new batch may be sent.
    ///
    /// - Parameter isEager: Whether it is sent even in an outage.
    func admits(_ batch: CoalescedBatch, now: Duration, isEager: Bool) -> Bool {
        (isOpen(now) || isEager && now >= closedUntil) && hasCapacity(for: batch)
    }

    func hasCapacity(for batch: CoalescedBatch) -> Bool {
        pending.isEmpty
            || pending.count < Self.pendingLimit
                && pendingBytes + batch.byteCount <= pendingBytesLimit
    }

    private var pendingBytes: Int { pending.reduce(0) { $0 + $1.content.byteCount } }

    /// Removes and returns the pending batch to retry next: first those that were never sent in
    /// this form, smallest first. In an outage, a batch that was never sent comes before those that
    /// failed, because its result is more informative.
    ///
    /// - Parameters:
    ///   - hasSlot: Whether there is a slot for a batch that keeps none.
    ///   - hasOwnSlot: Whether the slot that a batch keeps is not used by another signal.
    mutating func removeDue(
        _ now: Duration, slotCount: Int, hasFresh: Bool, hasSlot: (CoalescedBatch) -> Bool,
        hasOwnSlot: (CoalescedBatch) -> Bool
    ) -> TrackedBatch? {
        guard isOpen(now) else { return nil }
        let due = pending.indices.filter { index in
            let batch = pending[index]
            return batch.due <= now && !(isOut && hasFresh && batch.failureCount > 0)
                && (keepsSlot(batch, slotCount: slotCount)
                    ? hasOwnSlot(batch.content) : hasSlot(batch.content))
        }
        let next = due.min { isBefore(pending[$0], pending[$1]) }
        return next.map { pending.remove(at: $0) }
    }

    private func isBefore(_ first: TrackedBatch, _ second: TrackedBatch) -> Bool {
        (first.due, first.content.recordCount, first.lastSend)
            < (second.due, second.content.recordCount, second.lastSend)
    }

    /// Returns the earliest time at which something can be sent that cannot be sent now, or `nil`
    /// if that does not depend on time.
    func nextTime(after now: Duration, hasFresh: Bool) -> Duration? {
        if isOut, inFlightCount > 0 { return nil }
        let opening = max(closedUntil, isOut ? probeDue : .zero)
        let times = pending.map { max($0.due, opening) } + (hasFresh ? [opening] : [])
        return times.filter { $0 > now }.min()
    }

    mutating func recordSent(_ batch: inout TrackedBatch) {
        sendCount += 1
        inFlightCount += 1
        batch.lastSend = sendCount
    }

    /// - Returns: Whether this is a recovery: a request was accepted after several failures.
    mutating func recordAccepted(_ batch: TrackedBatch, now: Duration) -> Bool {
        let isRecovery = streak >= Self.recoveryStreak || hasGivenUp
        inFlightCount -= 1
        counts.accepted += 1
        lastAccepted = max(lastAccepted, batch.lastSend)
        lastSuccess = now
        streak = 0
        hasGivenUp = false
        isOut = false
        failingSince = nil
        backoff.reset()
        if isRecovery { retryAll(now) }
        return isRecovery
    }

    private mutating func retryAll(_ now: Duration) {
        for index in pending.indices {
            pending[index].due = min(pending[index].due, now)
            pending[index].backoff.reset()
        }
    }

    /// Decides what happens to a batch that was not accepted, and keeps the records to retry.
    ///
    /// - Parameter requestedWait: The wait that the receiver requested.
    mutating func recordFailure(
        _ failure: TrackedBatch.Failure, of batch: TrackedBatch, requestedWait: Duration?,
        now: Duration, random: Double
    ) -> FailureResult {
        inFlightCount -= 1
        var batch = batch
        record(failure, of: &batch, now)
        close(for: requestedWait, batch, now)
        defer {
            if isOut { probeDue = now + backoff.nextWait(requested: requestedWait, random: random) }
        }
        if let limit = retry.maxElapsed, let first = batch.firstFailure, now - first >= limit {
            hasGivenUp = true
            let seconds = limit.components.seconds
            return .deadLetter(reason: "gave up after \(seconds) s: \(failure.reason)")
        }
        if let halves = refusedHalves(of: batch) {
            pending += halves
            return .halved
        }
        if isBad(batch) { return .deadLetter(reason: failure.reason) }
        let parts = slowHalves(of: batch) ?? [batch]
        for part in parts { keep(part, requestedWait, now, random) }
        return parts.count > 1 ? .halved : .pending
    }

    /// Returns the halves of a batch that was refused, or counts as refused.
    private func refusedHalves(of batch: TrackedBatch) -> [TrackedBatch]? {
        let isBad = isBad(batch)
        guard isBad || batch.isRefused, let (first, second) = batch.content.halves() else {
            return nil
        }
        let evidence = isBad ? Self.evidenceOfHalves : 0
        return [first, second].map { batch.divided($0, evidence: evidence) }
    }

    /// Returns the halves of a batch for which the receiver is too slow.
    private func slowHalves(of batch: TrackedBatch) -> [TrackedBatch]? {
        guard case .timeout = batch.failure, batch.timeoutCount >= Self.timeoutLimit,
            let (first, second) = batch.content.halves()
        else { return nil }
        return [first, second].map(batch.shortened)
    }

    private mutating func record(
        _ failure: TrackedBatch.Failure, of batch: inout TrackedBatch, _ now: Duration
    ) {
        if !failure.isRefusal, batch.failure != nil {
            batch.evidence += acceptedShare(since: batch)
        }
        if case .timeout = failure { batch.timeoutCount += 1 }
        streak += 1
        counts.failed += 1
        failingSince = failingSince ?? now
        batch.failure = failure
        batch.failureCount += 1
        batch.firstFailure = batch.firstFailure ?? now
        batch.countsAtFailure = counts
        if case .refusal(_, let isForContent) = failure { confirm(&batch, isForContent) }
    }

    private func confirm(_ batch: inout TrackedBatch, _ isForContent: Bool) {
        if let sends = batch.sendsAtRefusal, lastAccepted > sends.first {
            if isRefusedAlone {
                batch.confirmationCount += isForContent ? Self.confirmationLimit : 1
            } else if lastAccepted > sends.last {
                batch.confirmationCount += 1
            }
        }
        batch.sendsAtRefusal = (batch.sendsAtRefusal?.first ?? sendCount, sendCount)
    }

    /// Returns the share of other requests that were accepted since the previous failure of a
    /// batch.
    private func acceptedShare(since batch: TrackedBatch) -> Double {
        let accepted = counts.accepted - batch.countsAtFailure.accepted
        let failed = counts.failed - batch.countsAtFailure.failed
        return accepted == 0 ? 0 : Double(accepted) / Double(accepted + failed)
    }

    /// Whether no pending batch was refused since the last request was accepted.
    private var isRefusedAlone: Bool {
        !pending.contains { $0.isRefused && $0.failureCount > 0 && $0.lastSend > lastAccepted }
    }

    private func isBad(_ batch: TrackedBatch) -> Bool {
        switch batch.failure {
        case nil: false
        case .transient, .timeout: batch.evidence >= Self.evidenceLimit
        case .refusal: batch.confirmationCount >= Self.confirmationLimit
        }
    }

    /// Pauses for the time that the receiver requested, unless it accepts other requests at the
    /// same time.
    private mutating func close(
        for requestedWait: Duration?, _ batch: TrackedBatch, _ now: Duration
    ) {
        guard let requestedWait, batch.confirmationCount == 0, batch.evidence == 0 else { return }
        closedUntil = max(closedUntil, now + min(requestedWait, retry.longestRequestedWait))
    }

    private mutating func keep(
        _ batch: TrackedBatch, _ requestedWait: Duration?, _ now: Duration, _ random: Double
    ) {
        var batch = batch
        batch.due = now + batch.backoff.nextWait(requested: requestedWait, random: random)
        pending.append(batch)
        isOut = isOut || pending.count(where: isStuck) >= Self.freeFailureCount
    }

    /// Whether a batch was refused or failed repeatedly, and nothing was accepted since.
    private func isStuck(_ batch: TrackedBatch) -> Bool {
        let limit = batch.isRefused ? 1 : Self.slotAttemptLimit
        let failureCount = batch.failureCount + batch.earlierFailureCount
        return failureCount >= limit && batch.lastSend > lastAccepted
    }

    /// Removes the oldest failed batch that satisfies a condition, to make way for other signals.
    mutating func removeOldestFailed(where condition: (TrackedBatch) -> Bool) -> TrackedBatch? {
        guard
            let index = pending.firstIndex(where: { $0.failureCount > 0 && condition($0) })
        else { return nil }
        hasGivenUp = true
        return pending.remove(at: index)
    }
}
