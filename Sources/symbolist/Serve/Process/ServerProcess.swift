import CallStacks
import HTTPService
import Logging
import Metrics
import ServerConfiguration
import SymbolIntake
import Telemetry

/// The state that the parts of the service share from start to end: the log, the metrics, and the
/// settings that can change at run time.
struct ServerProcess: Sendable {
    let logger: Logger
    let metrics: PrometheusMetrics
    let diskSpace: DiskSpaceWait
    let tokens: Tokens
    let threshold: LogThreshold
    /// The configuration with which the process was started.
    let loaded: LoadedConfiguration
    /// Loads the configuration again from the same sources.
    let read: @Sendable () throws(ConfigurationError) -> LoadedConfiguration

    /// Starts the log and the metrics, which is possible only once per process.
    init(
        _ loaded: LoadedConfiguration,
        read: @escaping @Sendable () throws(ConfigurationError) -> LoadedConfiguration
    ) {
        let configuration = loaded.configuration
        metrics = PrometheusMetrics(descriptions: MetricDescriptions.all)
        MetricsSystem.bootstrap(metrics)
        threshold = LogThreshold(configuration.log.level)
        logger = Self.logger(configuration.log.format, threshold)
        diskSpace = DiskSpaceWait(logger: logger)
        tokens = configuration.tokens
        self.loaded = loaded
        self.read = read
    }

    private static func logger(_ format: LogFormat, _ threshold: LogThreshold) -> Logger {
        let output = LogOutput.standardError()
        LoggingSystem.bootstrap {
            handler($0, format, threshold, output)
        }
        return Logger(label: "symbolist")
    }

    static func handler(
        _ label: String, _ format: LogFormat, _ threshold: LogThreshold, _ output: LogOutput
    ) -> LineLogHandler {
        LineLogHandler(
            label: label, threshold: threshold, format: format, output: output, now: UnixTime.now)
    }
}
