/// The metric payloads of one version of an app, over some days.
public struct VersionFigures: Hashable, Sendable {
    public var app: String
    public var version: String
    /// The first day, in days since 1970-01-01.
    public var firstDay: Int
    public var lastDay: Int
    /// The number of payloads in the figures.
    public var payloadCount: Int
    /// The number of excluded payloads: those that cover several versions, the latest of them this
    /// one.
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

/// The sum of the figures of several payloads.
public struct FigureAverage: Hashable, Sendable {
    public var total: Double
    public var weight: Double
    /// The number of measured events, or of payloads if they do not count events.
    public var sampleCount: Double
    public var payloadCount: Int
    /// The sums of the payloads' means and of their squares.
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

    /// Creates the average of a single payload.
    public init(_ figure: PayloadFigures.Figure) {
        self.init(
            total: figure.total, weight: figure.weight, sampleCount: figure.sampleCount ?? 1,
            payloadCount: 1, meanSum: figure.mean, squaredMeanSum: figure.mean * figure.mean)
    }

    /// The average over all measurements. A device that launches the app more often has more
    /// weight.
    public var value: Double { total / weight }

    /// The average of the payloads' averages. Each day of each device has the same weight.
    public var payloadMean: Double { meanSum / Double(payloadCount) }

    /// The standard error of ``payloadMean``, or `nil` for fewer than two payloads.
    public var standardError: Double? {
        guard payloadCount > 1 else { return nil }
        let count = Double(payloadCount)
        let variance = (squaredMeanSum - meanSum * meanSum / count) / (count - 1)
        return (max(variance, 0) / count).squareRoot()
    }
}
