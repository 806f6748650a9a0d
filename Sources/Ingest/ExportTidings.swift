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
        var rejections = LogThrottle()
        var burials = LogThrottle()
        var retries = LogThrottle()
        var journalErrors = LogThrottle()
        var isFailing = false
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
    func note(_ outcome: ExportOutcome, of batch: ExportBatch, now: Duration) {
        switch outcome {
        case .taken(let rejectedCount, let message):
            noteTaken(batch, rejectedCount, message, now)
        case .retry(let reason, _): noteRetry(reason, now)
        case .refused: break
        }
    }

    private func noteTaken(
        _ batch: ExportBatch, _ rejectedCount: Int64, _ message: String, _ now: Duration
    ) {
        let lost = min(max(rejectedCount, 0), Int64(batch.recordCount))
        taken.increment(by: Int64(batch.recordCount) - lost)
        let (recovers, count) = lines.withLock { lines in
            defer { lines.isFailing = false }
            return (lines.isFailing, lost > 0 ? lines.rejections.add(lost, now: now) : nil)
        }
        if recovers { logger.notice("exporter '\(name)': takes batches again") }
        guard lost > 0 else { return }
        rejected.increment(by: lost)
        guard let count else { return }
        logger.warning("exporter '\(name)': records rejected: \(count): \(message)")
    }

    private func noteRetry(_ reason: String, _ now: Duration) {
        retries.increment()
        let count = lines.withLock { lines in
            let count = lines.retries.add(1, now: now)
            // Only what was said to fail is said to work again.
            if count != nil { lines.isFailing = true }
            return count
        }
        guard let count else { return }
        logger.warning("exporter '\(name)': \(reason): trying again, failed attempts: \(count)")
    }

    func noteBurial(_ batch: ExportBatch, reason: String, now: Duration) {
        buried.increment(by: batch.recordCount)
        let count = lines.withLock { $0.burials.add(Int64(batch.recordCount), now: now) }
        guard let count else { return }
        logger.error("exporter '\(name)': \(reason): records kept as dead letters: \(count)")
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
