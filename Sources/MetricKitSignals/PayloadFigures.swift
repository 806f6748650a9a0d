import CallStacks
package import JSONText

/// What one metric payload says of the watched metrics.
public struct PayloadFigures: Hashable, Sendable {
    /// A sum over samples, and what it is to be divided by.
    public struct Figure: Hashable, Sendable {
        public var total: Double
        /// How much stands behind the sum: samples, hours of use, or 1 for the payload itself.
        public var weight: Double
        /// How many single events were measured; `nil` where a payload has one value and no count.
        public var sampleCount: Double?

        public init(total: Double, weight: Double, sampleCount: Double? = nil) {
            self.total = total
            self.weight = weight
            self.sampleCount = sampleCount
        }

        public var mean: Double { total / weight }

        /// What no device measures: it would spoil every average that it got into.
        var isPlausible: Bool {
            (0...Self.largest).contains(total) && (Self.smallest...Self.largest).contains(weight)
                && mean <= Self.largest
        }

        private static let largest = 1e18
        /// A few milliseconds of use, in hours.
        private static let smallest = 1e-6
    }

    /// The bundle identifier.
    public var app: String
    public var version: String
    /// Of the end of the payload's period, in days since 1970-01-01.
    public var day: Int
    /// Then it says nothing of one version: it is counted, and its figures are left out.
    public var spansSeveralVersions: Bool
    public var figures: [WatchedMetric: Figure]
    /// What the payload says, in 16 bytes: the same when the app writes it down once more, in
    /// another order.
    public var digest: [UInt8]

    public init(
        app: String, version: String, day: Int, spansSeveralVersions: Bool = false,
        figures: [WatchedMetric: Figure] = [:], digest: [UInt8]
    ) {
        self.digest = digest
        self.app = app
        self.version = version
        self.day = day
        self.spansSeveralVersions = spansSeveralVersions
        self.figures = figures
    }

    /// How long the names of apps and versions may be that are kept, in bytes.
    static let nameLimit = 128

    /// `nil` where the payload does not say of which version it is.
    package init?(of payload: JSONValue, context: ConversionContext) {
        guard let version = payload["appVersion"]?.string, !version.isEmpty else { return nil }
        let app = payload["metaData"]?["bundleIdentifier"]?.string ?? ""
        let period = PayloadPeriod(of: payload, arrival: context.arrival)
        let versions = payload["multipleAppVersions"].flatMap { $0.kind == .null ? nil : $0 }
        self.init(
            app: app.isEmpty ? PayloadResource.unknownService : app.cut(to: Self.nameLimit),
            version: version.cut(to: Self.nameLimit),
            day: Int(period.stop.rawValue / 86_400_000),
            // Whatever is not understood might be a yes.
            spansSeveralVersions: versions.map { $0.flag ?? true } ?? false,
            digest: ContentDigest(of: payload).bytes)
        if !spansSeveralVersions { readFigures(payload) }
        figures = figures.filter(\.value.isPlausible)
    }

    private mutating func readFigures(_ payload: JSONValue) {
        let launches = "applicationLaunchMetrics.histogrammed"
        let histograms: [(WatchedMetric, String)] = [
            (.timeToFirstDraw, launches + "TimeToFirstDrawKey"),
            (.resumeTime, launches + "ResumeTime"),
            (.optimizedTimeToFirstDraw, launches + "OptimizedTimeToFirstDrawKey"),
            (.extendedLaunch, launches + "ExtendedLaunch"),
            (.hangTime, "applicationResponsivenessMetrics.histogrammedAppHangTime"),
        ]
        for (metric, path) in histograms {
            guard let histogram = Self.histogram(path, payload), histogram.mean != nil
            else { continue }
            figures[metric] = Figure(
                total: histogram.total, weight: histogram.sampleCount,
                sampleCount: histogram.sampleCount)
        }
        readHangRate(payload)
        for (metric, path, dimension) in [
            (WatchedMetric.peakMemory, "memoryMetrics.peakMemoryUsage", Measurement.Dimension.size),
            (.scrollHitchRatio, "animationMetrics.scrollHitchTimeRatio", .hitchRatio),
        ] {
            guard let value = Self.value(path, payload, dimension) else { continue }
            figures[metric] = Figure(total: value, weight: 1)
        }
    }

    /// How long the app hung, for each hour in which somebody used it. A payload that has the
    /// histogram without any hang counts as well: that is the best figure there is.
    private mutating func readHangRate(_ payload: JSONValue) {
        let foreground = Self.value(
            "applicationTimeMetrics.cumulativeForegroundTime", payload, .duration)
        let hangs = Self.histogram(
            "applicationResponsivenessMetrics.histogrammedAppHangTime", payload)
        guard let foreground, foreground > 0, let hangs, hangs.unreadCount == 0,
            hangs.total.isFinite
        else { return }
        figures[.hangTimePerForegroundHour] = Figure(
            total: hangs.total, weight: foreground / 3_600)
    }

    private static func histogram(_ path: String, _ payload: JSONValue) -> Histogram? {
        let row = MetricTable.rows.first { $0.path.joined(separator: ".") == path }
        guard let row, let (json, _) = row.value(in: payload) else { return nil }
        return Histogram(json, of: .duration)
    }

    private static func value(
        _ path: String, _ payload: JSONValue, _ dimension: Measurement.Dimension
    ) -> Double? {
        payload.member(at: path.split(separator: ".")).flatMap {
            Measurement($0, of: dimension)
        }?.value
    }
}
