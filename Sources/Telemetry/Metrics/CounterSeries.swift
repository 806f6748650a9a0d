import CoreMetrics
import Synchronization

/// A value that only increases. Negative increments are ignored.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    private let whole = Atomic<Int64>(0)
    /// Floating-point increments, kept separately so that an integer increment is a single atomic
    /// instruction.
    private let fractions = Atomic<Double>(0)

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        whole.wrappingAdd(amount, ordering: .relaxed)
    }

    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        fractions.add(amount)
    }

    func reset() {
        whole.store(0, ordering: .relaxed)
        fractions.store(0, ordering: .relaxed)
    }

    func write(to writer: inout ExpositionWriter, name: String, labels: SeriesLabels) {
        let value = Double(whole.load(ordering: .relaxed)) + fractions.load(ordering: .relaxed)
        writer.sample(name, labels: labels.text, value: value)
    }
}

extension Atomic<Double> {
    /// Adds by compare-and-exchange.
    func add(_ amount: Double) {
        var known = load(ordering: .relaxed)
        while true {
            let (isDone, found) = weakCompareExchange(
                expected: known, desired: known + amount, ordering: .relaxed)
            if isDone { return }
            known = found
        }
    }
}
