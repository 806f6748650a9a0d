public import CoreMetrics
import Synchronization

/// Metrics of this process, kept in memory and shown as the text that Prometheus reads.
///
/// Two handlers with the same label and dimensions write to the same series. A series stays until
/// the process ends, also when its handler is destroyed: a counter that vanished and came back would
/// look like a restart to whoever reads it.
public final class PrometheusMetrics: MetricsFactory {
    /// How many label sets one metric may have. What comes beyond it is counted in one more series,
    /// whose labels all say `other`.
    public static let seriesLimit = 256
    /// How many metrics there may be. What comes beyond it is not shown.
    public static let familyLimit = 1_024

    /// By the labels that the program gives its metrics, what they mean.
    private let meanings: [String: String]
    private let families = Mutex<[String: MetricFamily]>([:])

    /// - Parameter meanings: By the label that a metric is made with, a sentence for its `HELP` line.
    public init(meanings: [String: String] = [:]) { self.meanings = meanings }

    public func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        series(label, .counter, dimensions) { _ in CounterSeries() }
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, .counter, dimensions) { _ in CounterSeries() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, .gauge, dimensions) { _ in GaugeSeries() }
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            series(label, .histogram, dimensions) { HistogramSeries(bounds: .of($0)) }
        } else {
            series(label, .gauge, dimensions) { _ in GaugeSeries() }
        }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, .timer, dimensions) { HistogramSeries(bounds: .of($0)) }
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics as they are now, those of the process included.
    public func exposition(_ format: ExpositionFormat = .prometheus) -> String {
        let families = families.withLock { $0 }
        var text = ExpositionText(format: format)
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.begin(name, family.kind, meaning: family.meaning)
            for (labels, series) in family.series.sorted(by: { $0.key.text < $1.key.text }) {
                series.write(to: &text, name: name, labels: labels)
            }
        }
        ProcessUse.now()?.write(to: &text)
        return text.finished()
    }

    private func series<Series: MetricSeries>(
        _ label: String, _ use: MetricUse, _ dimensions: [(String, String)],
        make: (_ name: String) -> Series
    ) -> Series {
        let name = MetricName.of(label, use)
        let labels = SeriesLabels(dimensions)
        return families.withLock { families in
            // A name that another kind of metric has already is told apart by the kind.
            let kind = families[name]?.kind ?? use.kind
            let name = kind == use.kind ? name : "\(name)_\(use.kind.rawValue)"
            if families[name] == nil, families.count < Self.familyLimit {
                families[name] = MetricFamily(kind: use.kind, meaning: meanings[label])
            }
            return families[name]?.series(labels, limit: Self.seriesLimit) { make(name) }
                ?? make(name)
        }
    }
}
