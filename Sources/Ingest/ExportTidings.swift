import CallStacks
import Logging
import Metrics
import Synchronization

/// What operators see of one exporter: counters, and log lines that come at most once a minute each,
/// however many batches fail.
final class ExportTidings: Sendable {
    private let name: String
    private let logger: Logger
    private let taken: Counter
    private let rejected: Counter
    private let buried: Counter
    private let retries: Counter
    private let delay: Metrics.Timer
    private let lines = Mutex(Lines())

    private struct Lines {
        var resent = LogThrottle()
        var rejections = LogThrottle()
        var burials = LogThrottle()
        var journalErrors = LogThrottle()
        var failing: [Signal: Failing] = [:]
    }

    private struct Failing {
        var attempts = LogThrottle()
        /// Of the first failure since a request was taken.
        var since: Duration?
        /// Whether a line said so.
        var isTold = false
    }

    /// What a line of the log says of requests that were not taken.
    struct Failures: Hashable, Sendable {
        var signal: Signal
        var reason: String
        /// Attempts since the line before.
        var count: Int64
        /// For how long nothing was taken.
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
        taken = counter("taken")
        rejected = counter("rejected")
        buried = counter("buried")
        retries = Counter(
            label: "symbolist_export_retries_total", dimensions: [("exporter", name)],
            factory: metrics)
        delay = Metrics.Timer(
            label: "symbolist_export_delay_seconds", dimensions: [("exporter", name)],
            factory: metrics)
    }

    /// Notes how long the oldest record of a batch took from its arrival until it was taken.
    func noteDelay(of batch: ExportBatch, wallTime: UnixTime) {
        guard let arrival = batch.arrival else { return }
        delay.recordMilliseconds(max(wallTime.rawValue - arrival.rawValue, 0))
    }

    /// - Parameter now: Since any fixed moment.
    /// - Returns: What to say now of failures, when it is time for a line.
    func note(_ outcome: ExportOutcome, of batch: ExportBatch, now: Duration) -> Failures? {
        switch outcome {
        case .taken(let rejectedCount, let message):
            noteTaken(batch, rejectedCount, message, now)
            return nil
        case .retry(let reason, _), .refused(let reason, _, _):
            return noteFailure(batch.signal, reason, now)
        }
    }

    private func noteTaken(
        _ batch: ExportBatch, _ rejectedCount: Int64, _ message: String, _ now: Duration
    ) {
        let lost = min(max(rejectedCount, 0), Int64(batch.recordCount))
        taken.increment(by: Int64(batch.recordCount) - lost)
        let (recovers, count) = lines.withLock { lines in
            let isTold = lines.failing[batch.signal]?.isTold ?? false
            lines.failing[batch.signal]?.since = nil
            lines.failing[batch.signal]?.isTold = false
            return (isTold, lost > 0 ? lines.rejections.add(lost, now: now) : nil)
        }
        if recovers { logger.notice("exporter '\(name)': takes \(batch.signal) again") }
        guard lost > 0 else { return }
        rejected.increment(by: lost)
        guard let count else { return }
        let text = message.isEmpty ? "" : ": \(message)"
        logger.warning(
            "exporter '\(name)': records rejected, and kept as dead letters: \(count)\(text)")
    }

    private func noteFailure(_ signal: Signal, _ reason: String, _ now: Duration) -> Failures? {
        retries.increment()
        return lines.withLock { lines in
            var failing = lines.failing[signal] ?? Failing()
            defer { lines.failing[signal] = failing }
            let since = failing.since ?? now
            failing.since = since
            guard let count = failing.attempts.add(1, now: now) else { return nil }
            failing.isTold = true
            return Failures(signal: signal, reason: reason, count: count, duration: now - since)
        }
    }

    /// - Parameter waiting: What waits for the exporter, where that is known.
    func tell(_ failures: Failures, waiting: Backlog?) {
        var text = "exporter '\(name)': \(failures.reason): trying again"
        text += ", failed attempts: \(failures.count)"
        let seconds = failures.duration.components.seconds
        if seconds > 0 { text += ", no \(failures.signal) taken for \(seconds) s" }
        if let waiting { text += ", waiting: \(waiting.count) requests, \(waiting.bytes) bytes" }
        logger.warning("\(text)")
    }

    func noteBurial(_ batch: ExportBatch, reason: String, now: Duration) {
        buried.increment(by: batch.recordCount)
        let count = lines.withLock { $0.burials.add(Int64(batch.recordCount), now: now) }
        guard let count else { return }
        logger.error("exporter '\(name)': \(reason): records kept as dead letters: \(count)")
    }

    /// Notes that a dead letter was taken.
    func noteResent(_ batch: ExportBatch, now: Duration) {
        taken.increment(by: batch.recordCount)
        let count = lines.withLock { $0.resent.add(Int64(batch.recordCount), now: now) }
        guard let count else { return }
        logger.notice("exporter '\(name)': records of dead letters taken: \(count)")
    }

    func note(_ error: JournalError, now: Duration) {
        guard lines.withLock({ $0.journalErrors.add(1, now: now) }) != nil else { return }
        logger.error("exporter '\(name)': \(error)")
    }
}

/// Adds up what a log line would say, so that it is said at most once a minute.
struct LogThrottle: Sendable {
    static let interval = Duration.seconds(60)

    private var pending: Int64 = 0
    private var lastLine: Duration?

    /// - Returns: What has come since the last line, when it is time for one.
    mutating func add(_ count: Int64, now: Duration) -> Int64? {
        pending += count
        if let lastLine, now - lastLine < Self.interval { return nil }
        lastLine = now
        defer { pending = 0 }
        return pending
    }
}
