import TaskCoordination

/// Decides which requests are admitted while the worker lags, so that its backlog stays within a
/// few seconds of work. A state machine without I/O or a clock.
///
/// Below the limit, every request is admitted. Beyond it, requests wait in order. Near the limit,
/// nearly as many bytes are admitted as the worker processes, so that no request waits long; far
/// beyond it, half as many. So the backlog shrinks, and admission never stops.
struct Pacing {
    /// A request that is admitted or waiting.
    struct Ticket {
        let number: Int
        fileprivate let receivedBytes: Int
        /// The probable size in the journal.
        fileprivate let bytes: Int64
        /// Signalled when the request is admitted, or `nil` if it was admitted immediately.
        let admission: Wakeup?
    }

    /// The amount of work that may wait for the worker, in seconds.
    static let secondsLimit = 2.0
    /// The minimum share of the processed bytes that is admitted beyond the limit.
    private static let leastShare = 0.5

    /// The stored bytes that may always wait for the worker, however slow it is.
    private let minimumBytes: Int64
    /// The measured speed in stored bytes per second, or `nil` before the first measurement.
    private var speed: ExponentialAverage?
    /// The bytes processed when the speed was measured last.
    private var measuredBytes: Int64
    private var backlog: WorkerBacklog
    private var sizes: StoredSizeEstimate
    /// The estimated stored size of admitted requests that are not yet in the journal, in bytes.
    private var admitted: Int64 = 0
    /// The bytes that may be admitted beyond the limit, because more were processed.
    private var credit: Int64 = 0
    private var waiting: [Ticket] = []
    private var nextNumber = 0
    /// Whether the worker waits for exporters, and not for CPU time.
    private(set) var isWaitingForExporters = false

    init(minimumBytes: Int64, backlog: WorkerBacklog) {
        self.minimumBytes = minimumBytes
        self.backlog = backlog
        measuredBytes = backlog.processedBytes
        sizes = StoredSizeEstimate(backlog)
    }

    /// The bytes that may wait for the worker.
    var limit: Int64 { max(minimumBytes, Int64((speed?.value ?? 0) * Self.secondsLimit)) }

    private var isBehind: Bool { backlog.bytes + admitted >= limit }

    /// - Parameter bytes: The size of the request, as received.
    mutating func enter(bytes: Int, _ latest: WorkerBacklog) -> Ticket {
        update(latest)
        let stored = sizes.storedBytes(of: bytes)
        let isAdmitted = waiting.isEmpty && admits(stored)
        nextNumber += 1
        let ticket = Ticket(
            number: nextNumber, receivedBytes: bytes, bytes: stored,
            admission: isAdmitted ? nil : Wakeup())
        if !isAdmitted { waiting.append(ticket) }
        return ticket
    }

    /// Ends the wait of a request if it is admitted: because its turn came, or because the worker
    /// waits for exporters, whose backlog the queue absorbs.
    ///
    /// - Parameter isLast: Whether the request is rejected if it is not admitted now.
    /// - Returns: Whether it is admitted.
    mutating func endWait(of ticket: Ticket, isLast: Bool) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.number == ticket.number }) else {
            return true
        }
        guard isWaitingForExporters || isLast else { return false }
        waiting.remove(at: index)
        if isWaitingForExporters { admitted += ticket.bytes }
        return isWaitingForExporters
    }

    /// Records that an admitted request is in the journal, or was not stored.
    mutating func leave(_ ticket: Ticket, isStored: Bool, _ latest: WorkerBacklog?) {
        admitted -= ticket.bytes
        if isStored { sizes.add(received: ticket.receivedBytes) }
        if let latest { update(latest) }
        admitNext()
    }

    /// Records the worker's progress in a period of time.
    mutating func worked(_ latest: WorkerBacklog, in duration: Duration) {
        measure(latest, duration)
        sizes.measure(latest)
        update(latest)
        isWaitingForExporters = false
        admitNext()
    }

    /// Records that the worker waits for exporters.
    mutating func recordWaitForExporters() { isWaitingForExporters = true }

    private mutating func measure(_ latest: WorkerBacklog, _ duration: Duration) {
        let bytes = latest.processedBytes - measuredBytes
        let seconds = duration / .seconds(1)
        guard bytes > 0, seconds > 0 else { return }
        measuredBytes = latest.processedBytes
        let latest = Double(bytes) / seconds
        if speed == nil { speed = ExponentialAverage(value: latest) } else { speed?.add(latest) }
    }

    private mutating func update(_ latest: WorkerBacklog) {
        // Calls may arrive out of order, but the number of processed bytes never decreases.
        guard latest.processedBytes >= backlog.processedBytes else { return }
        let processed = Double(latest.processedBytes - backlog.processedBytes)
        backlog = latest
        credit = isBehind ? min(credit + Int64(processed * share), limit) : 0
    }

    /// The share of the processed bytes that is admitted beyond the limit.
    private var share: Double {
        let share = Double(limit) / Double(max(backlog.bytes, 1))
        return min(max(share, Self.leastShare), 1)
    }

    private mutating func admits(_ bytes: Int64) -> Bool {
        if isBehind {
            guard credit >= bytes else { return false }
            credit -= bytes
        }
        admitted += bytes
        return true
    }

    private mutating func admitNext() {
        while let next = waiting.first, admits(next.bytes) {
            waiting.removeFirst()
            next.admission?.signal()
        }
    }
}
