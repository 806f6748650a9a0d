/// Decides which requests are let in while the worker is behind, so that what it still has to do stays
/// within a few seconds of its work. Neither waits nor reads a clock.
///
/// Below the limit every request is let in. Beyond it, requests wait in their order: half as many
/// bytes are let in as the worker works off, so the backlog shrinks and taking in never stops.
struct Pacing {
    /// A request that waits for its turn.
    struct Ticket {
        let number: Int
        /// Signalled when it is let in.
        let turn: Wakeup
    }

    private struct Waiting {
        let ticket: Ticket
        let bytes: Int64
    }

    /// How many seconds of work may wait for the worker.
    static let secondsLimit = 2.0
    /// The share of a new measurement in the worker's speed.
    private static let smoothing = 0.3

    /// What may wait for the worker however slow it is, in stored bytes.
    private let leastBytes: Int64
    /// In stored bytes per second, as measured; 0 before the first measurement.
    private var speed = 0.0
    private var backlog: WorkerBacklog
    /// Bytes of requests that were let in and are not yet in the journal.
    private var arriving: Int64 = 0
    /// Bytes that may be let in beyond the limit, because twice as many were worked off.
    private var credit: Int64 = 0
    private var waiting: [Waiting] = []
    private var nextNumber = 0
    /// Whether the worker waits for exporters, and not for a processor.
    private(set) var isHeldUp = false

    init(leastBytes: Int64, backlog: WorkerBacklog) {
        self.leastBytes = leastBytes
        self.backlog = backlog
    }

    /// How many bytes may wait for the worker.
    var limit: Int64 { max(leastBytes, Int64(speed * Self.secondsLimit)) }

    private var isBehind: Bool { backlog.bytes + arriving >= limit }

    /// - Returns: What a request waits with; `nil` if it is let in at once.
    mutating func enter(bytes: Int, _ latest: WorkerBacklog) -> Ticket? {
        update(latest)
        let bytes = Int64(bytes)
        if waiting.isEmpty, admits(bytes) { return nil }
        nextNumber += 1
        let ticket = Ticket(number: nextNumber, turn: Wakeup())
        waiting.append(Waiting(ticket: ticket, bytes: bytes))
        return ticket
    }

    /// Ends the wait of a request.
    ///
    /// - Returns: Whether it is let in: because its turn has come, or because the worker waits for
    ///   exporters, whose delay is the queue's to take up.
    mutating func end(_ ticket: Ticket) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.ticket.number == ticket.number }) else {
            return true
        }
        let bytes = waiting.remove(at: index).bytes
        if isHeldUp { arriving += bytes }
        return isHeldUp
    }

    /// Notes that a request that was let in is in the journal, or was not kept.
    mutating func leave(bytes: Int, _ latest: WorkerBacklog?) {
        arriving -= Int64(bytes)
        if let latest { update(latest) }
        admitNext()
    }

    /// Notes what the worker did in some time.
    mutating func worked(_ latest: WorkerBacklog, in duration: Duration) {
        let bytes = latest.workedBytes - backlog.workedBytes
        measure(bytes, duration)
        update(latest)
        isHeldUp = false
        credit = isBehind ? min(credit + bytes / 2, limit) : 0
        admitNext()
    }

    /// Notes that the worker waits for exporters.
    mutating func holdUp() { isHeldUp = true }

    private mutating func measure(_ bytes: Int64, _ duration: Duration) {
        let seconds = duration / .seconds(1)
        guard bytes > 0, seconds > 0 else { return }
        let latest = Double(bytes) / seconds
        speed = speed == 0 ? latest : speed + Self.smoothing * (latest - speed)
    }

    private mutating func update(_ latest: WorkerBacklog) {
        // Calls overtake one another; what is worked off never grows less.
        if latest.workedBytes >= backlog.workedBytes { backlog = latest }
    }

    private mutating func admits(_ bytes: Int64) -> Bool {
        if isBehind {
            guard credit >= bytes else { return false }
            credit -= bytes
        }
        arriving += bytes
        return true
    }

    private mutating func admitNext() {
        while let next = waiting.first, admits(next.bytes) {
            waiting.removeFirst()
            next.ticket.turn.signal()
        }
    }
}
