public import Logging
import Metrics
public import ServiceLifecycle

/// Shows how many dead letters wait, and says so in the log: at the start, and then once an hour.
public struct DeadLetterGauges: Service {
    private let archive: any DiagnosticArchive
    private let exporters: [String]
    private let logger: Logger

    private static let interval = Duration.seconds(5)
    private static let lineInterval = Duration.seconds(3_600)

    /// - Parameter exporters: The names of those whose gauges are shown from the start, at 0. A rule
    ///   that watches for dead letters would otherwise miss the first ones.
    public init(archive: any DiagnosticArchive, exporters: [String], logger: Logger) {
        self.archive = archive
        self.exporters = exporters
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
        for name in exporters + counts.map(\.exporter) where gauges[name] == nil {
            gauges[name] = Gauge(
                label: "symbolist_dead_letters", dimensions: [("exporter", name)])
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
