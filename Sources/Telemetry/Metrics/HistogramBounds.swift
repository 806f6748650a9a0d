/// The ascending upper bounds of a histogram's buckets, without the last, infinite one.
///
/// They are fixed, because buckets that differ between releases cannot be aggregated.
struct HistogramBounds: Hashable, Sendable {
    let values: [Double]

    /// Bounds for durations, from a tenth of a millisecond (one diagnostic) to a slow upload.
    static let seconds = Self(values: [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10, 30, 60, 300,
    ])

    /// Bounds for sizes, from 256 B to 1 GiB by factors of four.
    static let bytes = Self(values: (4...15).map { Double(1 << (2 * $0)) })

    /// Bounds for counts.
    static let counts = Self(values: [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000,
    ])

    /// Returns the bounds for a metric by the unit at the end of its name.
    static func of(_ name: String) -> Self {
        if name.hasSuffix("_seconds") { return .seconds }
        if name.hasSuffix("_bytes") { return .bytes }
        return .counts
    }

    /// Returns the index of the first bucket whose bound is at least the value, or of the infinite
    /// bucket.
    func bucket(of value: Double) -> Int {
        values.firstIndex { value <= $0 } ?? values.count
    }
}
