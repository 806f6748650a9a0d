import CoreMetrics
import Synchronization

/// A value that can increase and decrease.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let value = Atomic<Double>(0)

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { self.value.store(value, ordering: .relaxed) }

    func increment(by amount: Double) { value.add(amount) }

    func decrement(by amount: Double) { value.add(-amount) }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    func write(to writer: inout ExpositionWriter, name: String, labels: SeriesLabels) {
        writer.sample(name, labels: labels.text, value: value.load(ordering: .relaxed))
    }
}
