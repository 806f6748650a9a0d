import Logging
import Metrics
import Synchronization

/// Counters and gauges by their label and the dimension `outcome` or `exporter`.
final class RecordedMetrics: MetricsFactory {
    private let values = Mutex<[String: Int64]>([:])

    /// The value, or `nil` if there is no such counter or gauge.
    func value(_ label: String, _ dimension: String?) -> Int64? {
        values.withLock { $0[label + (dimension ?? "")] }
    }

    fileprivate func change(_ key: String, _ change: (inout Int64) -> Void) {
        values.withLock { change(&$0[key, default: 0]) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions.first { $0.0 == "outcome" }?.1)
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        handler(label, dimensions.first { $0.0 == "exporter" }?.1)
    }

    private func handler(_ label: String, _ dimension: String?) -> RecordedMetric {
        let key = label + (dimension ?? "")
        change(key) { _ in }
        return RecordedMetric(metrics: self, key: key)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

private final class RecordedMetric: CounterHandler, RecorderHandler {
    private let metrics: RecordedMetrics
    private let key: String

    init(metrics: RecordedMetrics, key: String) {
        self.metrics = metrics
        self.key = key
    }

    func increment(by amount: Int64) { metrics.change(key) { $0 += amount } }
    func reset() { metrics.change(key) { $0 = 0 } }
    func record(_ value: Int64) { metrics.change(key) { $0 = value } }
    func record(_ value: Double) { record(Int64(value)) }
}

/// A log handler that collects its lines.
struct CollectedLines: LogHandler {
    let lines: Collected<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: Collected<String>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.message)") }
}
