import CoreMetrics
import Synchronization

/// The number of values per bucket, and their sum.
///
/// Both change under one lock, so that a reader never sees a count without its value in the sum.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    private struct Distribution {
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: HistogramBounds
    private let distribution: Mutex<Distribution>

    init(bounds: HistogramBounds) {
        self.bounds = bounds
        distribution = Mutex(
            Distribution(counts: Array(repeating: 0, count: bounds.values.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    /// Ignores infinite values and NaN, which would make the sum useless from then on.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.bucket(of: value)
        distribution.withLock { distribution in
            distribution.counts[bucket] &+= 1
            distribution.sum += value
        }
    }

    /// Counts a negative duration, from a clock that was set back, as zero.
    func recordNanoseconds(_ duration: Int64) { record(Double(max(duration, 0)) / 1e9) }

    func write(to writer: inout ExpositionWriter, name: String, labels: SeriesLabels) {
        let distribution = distribution.withLock { $0 }
        let before = labels.text.isEmpty ? "" : labels.text + ","
        var count: UInt64 = 0
        for (bound, more) in zip(bounds.values + [.infinity], distribution.counts) {
            count &+= more
            let bound = bound == .infinity ? "+Inf" : "\(bound)"
            writer.sample(
                name + "_bucket", labels: "\(before)le=\"\(bound)\"", value: Double(count))
        }
        writer.sample(name + "_sum", labels: labels.text, value: distribution.sum)
        writer.sample(name + "_count", labels: labels.text, value: Double(count))
    }
}
