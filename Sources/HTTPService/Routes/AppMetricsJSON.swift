import MetricKitSignals

struct VersionList: Encodable { let versions: [VersionJSON] }

/// The metrics of an app version.
struct VersionJSON: Encodable {
    let app: String
    let version: String
    let firstDay: String
    let lastDay: String
    let payloads: Int
    let leftOut: Int
    let metrics: [String: MetricJSON]

    init(_ figures: VersionFigures) {
        app = figures.app
        version = figures.version
        firstDay = DayNumber.text(figures.firstDay)
        lastDay = DayNumber.text(figures.lastDay)
        payloads = figures.payloadCount
        leftOut = figures.leftOutCount
        metrics = Dictionary(
            uniqueKeysWithValues: figures.averages.map { ($0.name, MetricJSON($1, of: $0)) })
    }
}

/// An average with its thresholds and rating.
struct MetricJSON: Encodable {
    /// `ms`, `s/h`, `By` or `ms/s`.
    let unit: String
    let average: Double
    let payloadAverage: Double
    let samples: Double
    let payloads: Int
    let good: Double
    let bad: Double
    let rating: String

    init(_ average: FigureAverage, of metric: WatchedMetric) {
        let (good, bad) = metric.thresholds
        let (unit, factor) = metric.readable
        self.unit = unit
        self.average = average.value * factor
        payloadAverage = average.payloadMean * factor
        samples = average.sampleCount
        payloads = average.payloadCount
        self.good = good * factor
        self.bad = bad * factor
        rating = average.value <= good ? "good" : average.value < bad ? "fair" : "bad"
    }
}

/// The metrics that became worse, with statistically uncertain changes listed separately.
struct RegressionList: Encodable {
    let compared: [PairJSON]
    let regressions: [RegressionJSON]
    let uncertain: [RegressionJSON]

    init(_ pairs: [VersionPair], byMoreThan change: Double) {
        let rows = pairs.flatMap { pair in
            FigureComparison.worsened(from: pair.earlier, to: pair.later, byMoreThan: change)
                .map { RegressionJSON($0, pair) }
        }
        compared = pairs.map(PairJSON.init)
        regressions = rows.filter { $0.verdict == FigureComparison.Verdict.regression.rawValue }
        uncertain = rows.filter { $0.verdict != FigureComparison.Verdict.regression.rawValue }
    }
}

struct PairJSON: Encodable {
    let app: String
    let from: String
    let to: String
    let metrics: Int

    init(_ pair: VersionPair) {
        app = pair.earlier.app
        from = pair.earlier.version
        to = pair.later.version
        metrics = pair.earlier.averages.keys.count { pair.later.averages[$0] != nil }
    }
}

struct RegressionJSON: Encodable {
    struct Side: Encodable {
        let version: String
        let average: Double
        let samples: Double
        let payloads: Int

        init(_ average: FigureAverage, of version: String, _ metric: WatchedMetric) {
            self.version = version
            self.average = average.value * metric.readable.factor
            samples = average.sampleCount
            payloads = average.payloadCount
        }
    }

    let app: String
    let metric: String
    let unit: String
    let from: Side
    let to: Side
    @ExplicitNull var changePercent: Double?
    let verdict: String

    init(_ comparison: FigureComparison, _ pair: VersionPair) {
        app = pair.earlier.app
        metric = comparison.metric.name
        unit = comparison.metric.readable.unit
        from = Side(comparison.earlier, of: pair.earlier.version, comparison.metric)
        to = Side(comparison.later, of: pair.later.version, comparison.metric)
        changePercent = comparison.change.map { ($0 * 1_000).rounded() / 10 }
        verdict = comparison.verdict.rawValue
    }
}
