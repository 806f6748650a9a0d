/// The upper bounds of a histogram's buckets, ascending, without the one that holds everything.
///
/// They are fixed, because buckets that change with a release cannot be added up over its machines.
struct HistogramBounds: Hashable, Sendable {
    let values: [Double]

    /// For durations: from a tenth of a millisecond, which is one diagnostic, to a slow upload.
    static let seconds = Self(values: [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10, 30, 60, 300,
    ])

    /// For sizes: from 256 B to 1 GiB, four times as much with each bucket.
    static let bytes = Self(values: (4...15).map { Double(1 << (2 * $0)) })

    /// For how many of something there are.
    static let counts = Self(values: [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000,
    ])

    /// Chosen by the unit at the end of a metric's name.
    static func of(_ name: String) -> Self {
        if name.hasSuffix("_seconds") { return .seconds }
        if name.hasSuffix("_bytes") { return .bytes }
        return .counts
    }

    /// The bucket of a value: the first whose bound is not below it, else the one behind the last.
    func bucket(of value: Double) -> Int {
        values.firstIndex { value <= $0 } ?? values.count
    }
}
