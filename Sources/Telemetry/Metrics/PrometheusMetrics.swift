public import CoreMetrics
import Synchronization

/// Metrics of this process, kept in memory and exposed in the Prometheus text format.
///
/// Handlers with the same label and dimensions share a series. A series remains until the process
/// ends, even if its handler is destroyed, because a counter that disappears and returns would look
/// like a restart.
public final class PrometheusMetrics: MetricsFactory {
    /// The maximum number of label sets per metric. Further ones share one series with all labels
    /// set to `other`.
    public static let seriesLimit = 256
    /// The maximum number of metrics. Further ones are not exposed.
    public static let familyLimit = 1_024

    /// Descriptions by metric label.
    private let descriptions: [String: String]
    private let families = Mutex<[String: MetricFamily]>([:])

    /// - Parameter descriptions: By metric label, the sentence for its `HELP` line.
    public init(descriptions: [String: String]) { self.descriptions = descriptions }

    public func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        series(label, .counter, dimensions: dimensions) { _ in CounterSeries() }
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, .counter, dimensions: dimensions) { _ in CounterSeries() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, .gauge, dimensions: dimensions) { _ in GaugeSeries() }
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            series(label, .histogram, dimensions: dimensions) { HistogramSeries(bounds: .of($0)) }
        } else {
            series(label, .gauge, dimensions: dimensions) { _ in GaugeSeries() }
        }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, .timer, dimensions: dimensions) { HistogramSeries(bounds: .of($0)) }
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns all current metrics, including those of the process.
    public func exposition() -> String {
        let families = families.withLock { $0 }
        var writer = ExpositionWriter()
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            writer.begin(name, family.kind, description: family.description)
            for (labels, series) in family.series.sorted(by: { $0.key.text < $1.key.text }) {
                series.write(to: &writer, name: name, labels: labels)
            }
        }
        ProcessMetrics.now()?.write(to: &writer)
        return writer.text
    }

    private func series<Series: MetricSeries>(
        _ label: String, _ instrument: MetricInstrument, dimensions: [(String, String)],
        make: (_ name: String) -> Series
    ) -> Series {
        let name = MetricName.of(label, instrument)
        let labels = SeriesLabels(dimensions)
        return families.withLock { families in
            // A name that is used by a metric of another kind gets the kind as a suffix.
            let kind = families[name]?.kind ?? instrument.kind
            let name = kind == instrument.kind ? name : "\(name)_\(instrument.kind.rawValue)"
            if families[name] == nil, families.count < Self.familyLimit {
                families[name] = MetricFamily(
                    kind: instrument.kind, description: descriptions[label])
            }
            return families[name]?.series(labels, limit: Self.seriesLimit) { make(name) }
                ?? make(name)
        }
    }
}
