import JSONText

/// A histogram of measurements, whose samples count as the midpoints of their buckets.
struct Histogram {
    /// The sum of the midpoints of all samples, in the base unit of their dimension.
    private(set) var total = 0.0
    private(set) var sampleCount = 0.0
    /// The number of invalid buckets, which are ignored.
    private(set) var unreadCount = 0
    private(set) var isAmbiguous = false

    /// Buckets are members named by their index, or elements of a list. The separate field with
    /// their number is ignored.
    ///
    /// - Returns: `nil` if the list of buckets is missing.
    init?(_ json: JSONValue, of dimension: Measurement.Dimension) {
        guard let buckets = json["histogramValue"] else { return nil }
        switch buckets.kind {
        case .object: for bucket in buckets.members { add(bucket.value, in: dimension) }
        case .array: for bucket in buckets.elements { add(bucket, in: dimension) }
        case .string, .number, .bool, .null: return nil
        }
    }

    /// The mean, or `nil` if there are no samples.
    var mean: Double? {
        guard sampleCount > 0 else { return nil }
        let mean = total / sampleCount
        return mean.isFinite ? mean : nil
    }

    /// Reads a number of samples, or a string with one.
    private static func count(_ json: JSONValue) -> Double? {
        json.double ?? json.integer.map { Double($0) }
    }

    private mutating func add(_ bucket: JSONValue, in dimension: Measurement.Dimension) {
        guard let count = bucket["bucketCount"].flatMap(Self.count),
            let start = bucket["bucketStart"].flatMap({ Measurement($0, of: dimension) }),
            let end = bucket["bucketEnd"].flatMap({ Measurement($0, of: dimension) })
        else {
            unreadCount += 1
            return
        }
        guard count > 0 else { return }
        isAmbiguous = isAmbiguous || start.isAmbiguous || end.isAmbiguous
        total += (start.value / 2 + end.value / 2) * count
        sampleCount += count
    }
}
