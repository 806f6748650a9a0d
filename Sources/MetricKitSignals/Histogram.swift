import JSONText

/// A histogram of measurements, summed up by the midpoints of its buckets.
struct Histogram {
    /// The midpoints of all samples together, in the base unit of their dimension.
    private(set) var total = 0.0
    private(set) var sampleCount = 0.0
    /// Buckets whose bounds or count cannot be read. They are left out.
    private(set) var unreadCount = 0
    private(set) var isAmbiguous = false

    /// The buckets are members named by their index, or elements of a list. Their number is
    /// repeated beside them and not looked at.
    ///
    /// - Returns: `nil` where there is no list of buckets.
    init?(_ json: JSONValue, of dimension: Measurement.Dimension) {
        guard let buckets = json["histogramValue"] else { return nil }
        switch buckets.kind {
        case .object: for bucket in buckets.members { add(bucket.value, dimension) }
        case .array: for bucket in buckets.elements { add(bucket, dimension) }
        case .string, .number, .bool, .null: return nil
        }
    }

    /// `nil` where nothing was counted: an average of nothing is no number.
    var mean: Double? {
        guard sampleCount > 0 else { return nil }
        let mean = total / sampleCount
        return mean.isFinite ? mean : nil
    }

    private mutating func add(_ bucket: JSONValue, _ dimension: Measurement.Dimension) {
        guard let count = bucket["bucketCount"]?.double,
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
