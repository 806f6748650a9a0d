import CoreMetrics
import Synchronization

/// A number that only grows. What would lower it is left out.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    private let whole = Atomic<Int64>(0)
    /// What was added in floating point, apart, so that adding one is one instruction.
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

    func write(to text: inout ExpositionText, name: String, labels: SeriesLabels) {
        let value = Double(whole.load(ordering: .relaxed)) + fractions.load(ordering: .relaxed)
        text.sample(name, labels: labels.text, value)
    }
}

extension Atomic<Double> {
    /// Adds by trying until no other thread came between.
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
