public import Logging
public import Metrics
public import ServiceLifecycle
import TaskCoordination

/// Records the number of dead letters, and logs it at startup and then once an hour.
public struct DeadLetterGauges: Service {
    private let archive: any DeadLetterArchive
    private let exporters: [String]
    private let logger: Logger
    private let metrics: any MetricsFactory

    private static let interval = Duration.seconds(5)
    static let lineInterval = Duration.seconds(3_600)

    /// - Parameter exporters: The exporters whose gauges exist from the start, at 0. Otherwise an
    ///   alert rule that watches for an increase would miss the first dead letters.
    public init(
        archive: any DeadLetterArchive, exporters: [String], logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.archive = archive
        self.exporters = exporters
        self.logger = logger
        self.metrics = metrics
    }

    /// The gauges created so far, and the time of the latest log lines.
    struct State {
        fileprivate var gauges: [String: Gauge] = [:]
        fileprivate var lastLines: Duration?
    }

    public func run() async {
        await cancelWhenGracefulShutdown {
            let start = ContinuousClock.now
            var state = State()
            await repeatUntilCancelled(pausing: Self.interval) {
                await update(&state, now: start.duration(to: .now))
            }
        }
    }

    /// Records the current numbers, and logs them if the latest log lines are an hour old.
    ///
    /// - Parameter now: The time since any fixed moment.
    func update(_ state: inout State, now: Duration) async {
        // After a failure, retrying at the next interval is soon enough.
        guard let counts = try? await archive.deadLetterCounts() else { return }
        record(counts, in: &state.gauges)
        if let last = state.lastLines, now - last < Self.lineInterval { return }
        state.lastLines = now
        for count in counts { log(count) }
    }

    private func record(_ counts: [DeadLetterCount], in gauges: inout [String: Gauge]) {
        for name in exporters + counts.map(\.exporter) where gauges[name] == nil {
            gauges[name] = Gauge(
                label: "symbolist_dead_letters", dimensions: [("exporter", name)],
                factory: metrics)
        }
        for (exporter, gauge) in gauges {
            gauge.record(counts.first { $0.exporter == exporter }?.letterCount ?? 0)
        }
    }

    private func log(_ count: DeadLetterCount) {
        logger.warning(
            """
            exporter '\(count.exporter)': dead letters: \(count.letterCount), with \
            \(count.recordCount) records: see GET /v1/dead-letters
            """)
    }
}
