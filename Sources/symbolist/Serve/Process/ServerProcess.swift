import CallStacks
import HTTPService
import Logging
import Metrics
import ServerConfiguration
import SymbolIntake
import Telemetry

/// What the parts of the service share from its start to its end: the log, the metrics, and the
/// settings that can change meanwhile.
struct ServerProcess: Sendable {
    let logger: Logger
    let metrics: PrometheusMetrics
    let diskSpace: DiskSpaceWait
    let tokens: Tokens
    let threshold: LogThreshold
    /// Loads the configuration again from the same sources.
    let read: @Sendable () throws(ConfigurationError) -> LoadedConfiguration

    /// Starts the log and the metrics, which a process can do once.
    init(
        _ configuration: ServerConfiguration,
        read: @escaping @Sendable () throws(ConfigurationError) -> LoadedConfiguration
    ) {
        metrics = PrometheusMetrics(descriptions: MetricDescriptions.all)
        MetricsSystem.bootstrap(metrics)
        threshold = LogThreshold(configuration.log.level)
        logger = Self.logger(configuration.log.format, threshold)
        diskSpace = DiskSpaceWait(logger: logger)
        tokens = configuration.tokens
        self.read = read
    }

    private static func logger(_ format: LogFormat, _ threshold: LogThreshold) -> Logger {
        let output = LogOutput.standardError()
        LoggingSystem.bootstrap {
            LineLogHandler(
                label: $0, threshold: threshold, format: format, output: output,
                now: UnixTime.now)
        }
        return Logger(label: "symbolist")
    }
}
