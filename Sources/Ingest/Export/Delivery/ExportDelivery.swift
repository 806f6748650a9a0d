/// Decides what happens to the batches of one exporter. A state machine without I/O.
///
/// Each signal has its own queue, which decides what a failure means; see ``SignalQueue``. Refused
/// batches wait there, up to a limit. At the limit no new batches are sent, so that an outage
/// leaves everything in the journal. If one signal fails while others of the same exporter are
/// accepted, it yields to them: its waiting batches use no slots of the others, and once they keep
/// the others from being read, the oldest become dead letters.
struct ExportDelivery: ~Copyable {
    enum Step: Sendable {
        case send(Int, ExportBatch)
        case deadLetter(Int, DeadLetterDraft)
        case wait(until: Duration)
    }

    /// A change of the entries in flight.
    enum Progress: Sendable {
        case finished(CoalescedBatch)
        /// The only entry of a batch is now sent in one more batch.
        case divided(entry: Int64)
    }

    /// The time for which a signal may be refused, while other signals are accepted, before its
    /// batches become dead letters.
    static let signalPatience = Duration.seconds(3_600)
    /// The time for which a signal may fail transiently before its batches become dead letters if
    /// they block other signals.
    static let blockedPatience = Duration.seconds(60)
    /// The size limit of a queue, in full batches per slot.
    static let pendingRounds = 4

    private let settings: ExportLoopSettings
    /// The size limit of all batches in flight, in bytes. Larger batches, which consist of a single
    /// entry, are sent one at a time.
    private let bytesLimit: Int
    private var queues: SignalTable<SignalQueue>
    private var ready: [CoalescedBatch] = []
    private var inFlight: [Int: TrackedBatch] = [:]
    private var deadLetters: [Step] = []
    private var nextID = 0
    private var timers: [Duration] = []
    /// The number of times that the receiver accepted requests again after an outage.
    private(set) var recoveryCount = 0

    init(batchBytesLimit: Int, settings: ExportLoopSettings) {
        self.settings = settings
        bytesLimit = batchBytesLimit * settings.inFlightLimit
        let queue = SignalQueue(
            retry: settings.retry, pendingBytesLimit: bytesLimit * Self.pendingRounds)
        queues = SignalTable(logs: queue, traces: queue, metrics: queue)
    }

    /// Whether a batch waits for its first attempt.
    var hasReady: Bool { !ready.isEmpty }

    var isIdle: Bool {
        ready.isEmpty && inFlight.isEmpty && queues.values.allSatisfy(\.pending.isEmpty)
    }

    mutating func add(_ batches: [CoalescedBatch]) { ready += batches }

    /// - Parameter isCrowded: Whether reading must pause until a batch is finished.
    mutating func nextSteps(now: Duration, isCrowded: Bool) -> [Step] {
        deadLetterBlockingBatches(now, isCrowded: isCrowded)
        var steps = deadLetters
        deadLetters = []
        while let step = nextSend(now) { steps.append(step) }
        if let time = nextTime(after: now), timers.allSatisfy({ time < $0 }) {
            timers.append(time)
            steps.append(.wait(until: time))
        }
        return steps
    }

    mutating func waited(until time: Duration) { timers.removeAll { $0 == time } }

    /// Handles the outcome of ``Step/send(_:_:)``.
    ///
    /// - Parameters:
    ///   - now: The time since any fixed moment.
    ///   - random: A number from 0 to 1.
    mutating func take(
        _ outcome: ExportOutcome, of id: Int, now: Duration, random: Double
    ) -> Progress? {
        let batch = removeInFlight(id)
        switch outcome {
        case .accepted(let rejectedCount, let message):
            if queues[batch.content.signal].recordAccepted(batch, now: now) { recoveryCount += 1 }
            guard rejectedCount > 0 else { return .finished(batch.content) }
            // Of metrics, data points are rejected one by one.
            let count = batch.content.recordCount
            let isPart = batch.content.signal != .metrics && rejectedCount <= count
            let text =
                isPart ? "\(rejectedCount) of \(count) rejected" : "\(rejectedCount) rejected"
            deadLetter(
                batch, message.isEmpty ? text : "\(text): \(message)",
                rejectedCount: rejectedCount)
            return nil
        case .retry(let reason, let after):
            return fail(batch, .transient(reason: reason), after, now, random)
        case .timedOut(let reason):
            return fail(batch, .timeout(reason: reason), nil, now, random)
        case .refused(let reason, let isForContent, let after):
            return fail(
                batch, .refusal(reason: reason, isForContent: isForContent), after, now, random)
        }
    }

    /// Records that the dead letter of ``Step/deadLetter(_:_:)`` is stored.
    mutating func deadLettered(_ id: Int) -> Progress { .finished(removeInFlight(id).content) }

    private mutating func removeInFlight(_ id: Int) -> TrackedBatch {
        guard let batch = inFlight.removeValue(forKey: id) else {
            preconditionFailure("id: no batch in flight has this number")
        }
        return batch
    }

    private mutating func fail(
        _ batch: TrackedBatch, _ failure: TrackedBatch.Failure, _ seconds: Double?, _ now: Duration,
        _ random: Double
    ) -> Progress? {
        let requestedWait = seconds.map {
            Duration.milliseconds(Int64(min(max($0, 0), 1e9) * 1_000))
        }
        let result = queues[batch.content.signal].recordFailure(
            failure, of: batch, requestedWait: requestedWait, now: now, random: random)
        switch result {
        case .pending: return nil
        case .halved:
            let parts = batch.content.parts
            return parts.count == 1 ? .divided(entry: parts[0].entry) : nil
        case .deadLetter(let reason):
            deadLetter(batch, reason)
            return nil
        }
    }

    private mutating func deadLetter(
        _ batch: TrackedBatch, _ reason: String, rejectedCount: Int64? = nil
    ) {
        let draft = DeadLetterDraft(
            batch: batch.content.batch, reason: reason, rejectedCount: rejectedCount)
        deadLetters.append(.deadLetter(addInFlight(batch), draft))
    }

    private mutating func addInFlight(_ batch: TrackedBatch) -> Int {
        nextID += 1
        inFlight[nextID] = batch
        return nextID
    }

    private mutating func nextSend(_ now: Duration) -> Step? {
        guard var batch = nextDue(now) ?? nextReady(now) else { return nil }
        queues[batch.content.signal].recordSent(&batch)
        return .send(addInFlight(batch), batch.content.batch)
    }

    private mutating func nextDue(_ now: Duration) -> TrackedBatch? {
        for signal in Signal.allCases {
            guard !queues[signal].pending.isEmpty else { continue }
            let slots = freeSlots(for: signal)
            let fresh = ready.first { $0.signal == signal }
            let hasFresh =
                fresh.map { queues[signal].hasCapacity(for: $0) && slots.fits($0) } ?? false
            let batch = queues[signal].removeDue(
                now, slotCount: settings.inFlightLimit, hasFresh: hasFresh,
                hasSlot: slots.fits, hasOwnSlot: slotsInFlight.fits)
            if let batch { return batch }
        }
        return nil
    }

    /// Returns the next new batch to send: the first one of a signal whose queue and size allow it.
    private mutating func nextReady(_ now: Duration) -> TrackedBatch? {
        var seen: Set<Signal> = []
        for index in ready.indices where seen.insert(ready[index].signal).inserted {
            let batch = ready[index]
            guard freeSlots(for: batch.signal).fits(batch) else { continue }
            let queue = queues[batch.signal]
            // If another signal is accepted, the receiver works, so the other signals must not wait
            // for this one.
            let isAlone = queue.failingSince.map { isAccepted(otherThan: batch.signal, since: $0) }
            guard queue.admits(batch, now: now, isEager: isAlone ?? false) else { continue }
            ready.remove(at: index)
            return TrackedBatch(batch, retry: settings.retry)
        }
        return nil
    }

    private struct FreeSlots {
        var count: Int
        var bytes: Int
        var areAllFree = true

        mutating func use(_ batch: TrackedBatch) {
            count -= 1
            bytes -= batch.content.byteCount
            areAllFree = false
        }

        func fits(_ batch: CoalescedBatch) -> Bool {
            areAllFree || count > 0 && batch.byteCount <= bytes
        }
    }

    /// The slots that no batch in flight uses.
    private var slotsInFlight: FreeSlots {
        var slots = FreeSlots(count: settings.inFlightLimit, bytes: bytesLimit)
        for batch in inFlight.values { slots.use(batch) }
        return slots
    }

    /// Returns the slots that no batch in flight uses, and no waiting batch of the same signal
    /// keeps.
    private func freeSlots(for signal: Signal) -> FreeSlots {
        var slots = slotsInFlight
        let queue = queues[signal]
        for batch in queue.pending
        where queue.keepsSlot(batch, slotCount: settings.inFlightLimit) { slots.use(batch) }
        return slots
    }

    private func nextTime(after now: Duration) -> Duration? {
        Signal.allCases.compactMap { signal in
            let queue = queues[signal]
            return queue.nextTime(
                after: now,
                hasFresh: ready.contains { $0.signal == signal && queue.hasCapacity(for: $0) })
        }.min()
    }

    /// Turns the oldest batch of a signal into a dead letter, if the signal fails while others are
    /// accepted and either blocks them or has been refused for a long time.
    private mutating func deadLetterBlockingBatches(_ now: Duration, isCrowded: Bool) {
        for signal in Signal.allCases {
            guard let since = queues[signal].failingSince,
                isAccepted(otherThan: signal, since: since)
            else { continue }
            let isBlocking = isCrowded || isFull(signal)
            let mustYield = isBlocking && now - since >= Self.blockedPatience
            let oldest = queues[signal].removeOldestFailed {
                mustYield
                    || $0.isRefused
                        && (isBlocking || now - ($0.firstFailure ?? now) >= Self.signalPatience)
            }
            guard let oldest, let reason = oldest.failure?.reason else { continue }
            deadLetter(oldest, "\(reason): no \(signal) are accepted, but other signals are")
        }
    }

    /// Whether a new batch of a signal waits because too many others are pending.
    private func isFull(_ signal: Signal) -> Bool {
        ready.first { $0.signal == signal }.map { !queues[signal].hasCapacity(for: $0) } ?? false
    }

    private func isAccepted(otherThan signal: Signal, since moment: Duration) -> Bool {
        Signal.allCases.contains {
            $0 != signal && (queues[$0].lastSuccess ?? .zero) > moment
        }
    }
}
