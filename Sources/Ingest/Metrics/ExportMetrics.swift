import CallStacks
import Logging
import Metrics
import Synchronization

/// The counters and log lines of one exporter. Each line is logged at most once a minute, however
/// many batches fail.
final class ExportMetrics: Sendable {
    private let name: String
    private let logger: Logger
    private let accepted: Counter
    private let rejected: Counter
    private let deadLettered: Counter
    private let retries: Counter
    private let delay: Metrics.Timer
    private let lines = Mutex(Lines())

    private struct Lines {
        var resent = LogThrottle()
        var rejections = LogThrottle()
        var deadLetters = LogThrottle()
        var journalErrors = LogThrottle()
        var failing: [Signal: Failing] = [:]
    }

    private struct Failing {
        var attempts = LogThrottle()
        /// The first failure since a request was accepted.
        var since: Duration?
        /// Whether it was logged.
        var isLogged = false
    }

    /// The content of a log line about requests that were not accepted.
    struct Failures: Hashable, Sendable {
        var signal: Signal
        var reason: String
        /// The number of attempts since the previous line.
        var count: Int64
        /// The time since anything was accepted.
        var duration: Duration
    }

    init(exporter name: String, logger: Logger, metrics: any MetricsFactory) {
        self.name = name
        self.logger = logger
        func counter(_ outcome: String) -> Counter {
            Counter(
                label: "symbolist_export_records_total",
                dimensions: [("exporter", name), ("outcome", outcome)], factory: metrics)
        }
        accepted = counter("accepted")
        rejected = counter("rejected")
        deadLettered = counter("dead_lettered")
        retries = Counter(
            label: "symbolist_export_retries_total", dimensions: [("exporter", name)],
            factory: metrics)
        delay = Metrics.Timer(
            label: "symbolist_export_delay_seconds", dimensions: [("exporter", name)],
            factory: metrics)
    }

    /// Records the time from the arrival of a batch's oldest record until the batch was accepted.
    func recordDelay(of batch: ExportBatch, wallTime: UnixTime) {
        guard let arrival = batch.arrival else { return }
        delay.recordMilliseconds(max(wallTime.rawValue - arrival.rawValue, 0))
    }

    /// - Parameter now: The time since any fixed moment.
    /// - Returns: The failures to log now, or `nil` if it is too early for another line.
    func record(_ outcome: ExportOutcome, of batch: ExportBatch, now: Duration) -> Failures? {
        switch outcome {
        case .accepted(let rejectedCount, let message):
            recordAccepted(batch, rejectedCount, message, now)
            return nil
        case .retry(let reason, _), .timedOut(let reason), .refused(let reason, _, _):
            return recordFailure(batch.signal, reason, now)
        }
    }

    private func recordAccepted(
        _ batch: ExportBatch, _ rejectedCount: Int64, _ message: String, _ now: Duration
    ) {
        let lost = min(max(rejectedCount, 0), Int64(batch.recordCount))
        accepted.increment(by: Int64(batch.recordCount) - lost)
        let (recovers, count) = lines.withLock { lines in
            let isLogged = lines.failing[batch.signal]?.isLogged ?? false
            lines.failing[batch.signal]?.since = nil
            lines.failing[batch.signal]?.isLogged = false
            return (isLogged, lost > 0 ? lines.rejections.add(lost, now: now) : nil)
        }
        if recovers { logger.notice("exporter '\(name)': accepts \(batch.signal) again") }
        guard lost > 0 else { return }
        rejected.increment(by: lost)
        guard let count else { return }
        let text = message.isEmpty ? "" : ": \(message)"
        logger.warning(
            "exporter '\(name)': records rejected, and kept as dead letters: \(count)\(text)")
    }

    private func recordFailure(_ signal: Signal, _ reason: String, _ now: Duration) -> Failures? {
        retries.increment()
        return lines.withLock { lines in
            var failing = lines.failing[signal] ?? Failing()
            defer { lines.failing[signal] = failing }
            let since = failing.since ?? now
            failing.since = since
            guard let count = failing.attempts.add(1, now: now) else { return nil }
            failing.isLogged = true
            return Failures(signal: signal, reason: reason, count: count, duration: now - since)
        }
    }

    /// - Parameter backlog: The exporter's backlog, or `nil` if it is unknown.
    func log(_ failures: Failures, backlog: Backlog?) {
        var text = "exporter '\(name)': \(failures.reason): trying again"
        text += ", failed attempts: \(failures.count)"
        let seconds = failures.duration.components.seconds
        if seconds > 0 { text += ", no \(failures.signal) accepted for \(seconds) s" }
        if let backlog { text += ", waiting: \(backlog.count) requests, \(backlog.bytes) bytes" }
        logger.warning("\(text)")
    }

    func recordDeadLetter(_ batch: ExportBatch, reason: String, now: Duration) {
        deadLettered.increment(by: batch.recordCount)
        let count = lines.withLock { $0.deadLetters.add(Int64(batch.recordCount), now: now) }
        guard let count else { return }
        logger.error("exporter '\(name)': \(reason): records kept as dead letters: \(count)")
    }

    /// Records that a dead letter was delivered.
    func recordResent(_ batch: ExportBatch, now: Duration) {
        accepted.increment(by: batch.recordCount)
        let count = lines.withLock { $0.resent.add(Int64(batch.recordCount), now: now) }
        guard let count else { return }
        logger.notice("exporter '\(name)': records of dead letters delivered: \(count)")
    }

    func record(_ error: JournalError, now: Duration) {
        guard lines.withLock({ $0.journalErrors.add(1, now: now) }) != nil else { return }
        logger.error("exporter '\(name)': \(error)")
    }
}
