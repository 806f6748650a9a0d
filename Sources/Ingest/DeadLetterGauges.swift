public import Logging
import Metrics
public import ServiceLifecycle

/// Shows how many dead letters wait, and says so in the log: at the start, and then once an hour.
public struct DeadLetterGauges: Service {
    private let archive: any DiagnosticArchive
    private let logger: Logger

    private static let interval = Duration.seconds(5)
    private static let lineInterval = Duration.seconds(3_600)

    public init(archive: any DiagnosticArchive, logger: Logger) {
        self.archive = archive
        self.logger = logger
    }

    public func run() async {
        await cancelWhenGracefulShutdown {
            var gauges: [String: Gauge] = [:]
            var lastLine: ContinuousClock.Instant?
            while !Task.isCancelled {
                // The next look is soon enough where this one fails.
                if let counts = try? await archive.deadLetterCounts() {
                    show(counts, in: &gauges)
                    if lastLine.map({ $0.duration(to: .now) >= Self.lineInterval }) ?? true {
                        lastLine = .now
                        for count in counts { tell(count) }
                    }
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func show(_ counts: [DeadLetterCount], in gauges: inout [String: Gauge]) {
        for count in counts where gauges[count.exporter] == nil {
            gauges[count.exporter] = Gauge(
                label: "symbolist_dead_letters", dimensions: [("exporter", count.exporter)])
        }
        for (exporter, gauge) in gauges {
            gauge.record(counts.first { $0.exporter == exporter }?.letterCount ?? 0)
        }
    }

    private func tell(_ count: DeadLetterCount) {
        logger.warning(
            """
            exporter '\(count.exporter)': dead letters: \(count.letterCount), with \
            \(count.recordCount) records: see GET /v1/dead-letters
            """)
    }
}
