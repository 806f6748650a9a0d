/// What metric payloads say of one version of an app, over some days.
public struct VersionFigures: Hashable, Sendable {
    public var app: String
    public var version: String
    /// In days since 1970-01-01.
    public var firstDay: Int
    public var lastDay: Int
    /// How many payloads the figures are made of.
    public var payloadCount: Int
    /// How many were left out because they span several versions, of which this one is the latest.
    public var leftOutCount: Int
    public var averages: [WatchedMetric: FigureAverage]

    public init(
        app: String, version: String, firstDay: Int, lastDay: Int, payloadCount: Int,
        leftOutCount: Int, averages: [WatchedMetric: FigureAverage] = [:]
    ) {
        self.app = app
        self.version = version
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.payloadCount = payloadCount
        self.leftOutCount = leftOutCount
        self.averages = averages
    }
}

/// The figures of several payloads added up.
public struct FigureAverage: Hashable, Sendable {
    public var total: Double
    public var weight: Double
    /// How many events were measured, where payloads say so; otherwise how many payloads there are.
    public var sampleCount: Double
    public var payloadCount: Int
    /// The means of the payloads, and their squares, added up.
    public var meanSum: Double
    public var squaredMeanSum: Double

    public init(
        total: Double, weight: Double, sampleCount: Double, payloadCount: Int, meanSum: Double,
        squaredMeanSum: Double
    ) {
        self.total = total
        self.weight = weight
        self.sampleCount = sampleCount
        self.payloadCount = payloadCount
        self.meanSum = meanSum
        self.squaredMeanSum = squaredMeanSum
    }

    /// One payload alone.
    public init(_ figure: PayloadFigures.Figure) {
        self.init(
            total: figure.total, weight: figure.weight, sampleCount: figure.sampleCount ?? 1,
            payloadCount: 1, meanSum: figure.mean, squaredMeanSum: figure.mean * figure.mean)
    }

    /// The average over everything measured: a device that launches often counts more.
    public var value: Double { total / weight }

    /// The average of the payloads' own averages: every device's day counts the same.
    public var payloadMean: Double { meanSum / Double(payloadCount) }

    /// How far the average of so many payloads is expected to be off, by how much they differ;
    /// `nil` for fewer than two.
    public var standardError: Double? {
        guard payloadCount > 1 else { return nil }
        let count = Double(payloadCount)
        let variance = (squaredMeanSum - meanSum * meanSum / count) / (count - 1)
        return (max(variance, 0) / count).squareRoot()
    }
}
