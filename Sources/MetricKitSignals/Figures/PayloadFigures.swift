import CallStacks
package import JSONText

/// The watched metrics of one metric payload.
public struct PayloadFigures: Hashable, Sendable {
    /// A sum over samples, and its divisor.
    public struct Figure: Hashable, Sendable {
        public var total: Double
        /// The divisor: the number of samples, hours of use, or 1 for the payload itself.
        public var weight: Double
        /// The number of measured events, or `nil` if a payload has one value and no count.
        public var sampleCount: Double?

        public init(total: Double, weight: Double, sampleCount: Double? = nil) {
            self.total = total
            self.weight = weight
            self.sampleCount = sampleCount
        }

        public var mean: Double { total / weight }

        /// Whether a device can have measured it. An impossible value would distort every average.
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
    /// The day of the end of the payload's period, in days since 1970-01-01.
    public var day: Int
    /// Whether the payload covers several versions. If so, it is counted but its figures are not
    /// used.
    public var spansSeveralVersions: Bool
    public var figures: [WatchedMetric: Figure]
    /// A 16-byte digest of the payload's content, independent of the order of its members.
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

    /// The maximum length of names of apps and versions, in bytes.
    static let nameLimit = 128

    /// Returns `nil` if the payload has no version.
    package init?(of payload: JSONValue, context: ConversionContext) {
        guard let version = payload["appVersion"]?.string, !version.isEmpty else { return nil }
        let app = payload["metaData"]?["bundleIdentifier"]?.string ?? ""
        let period = PayloadPeriod(of: payload, arrival: context.arrival)
        let versions = payload["multipleAppVersions"].flatMap { $0.kind == .null ? nil : $0 }
        self.init(
            app: app.isEmpty ? PayloadResource.unknownService : app.cut(to: Self.nameLimit),
            version: version.cut(to: Self.nameLimit),
            day: Int(period.stop.day),
            // An unreadable value is treated as `true`, so that its figures are not attributed to
            // one version.
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
            guard let histogram = Self.histogram(path, in: payload), histogram.mean != nil
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
            guard let value = Self.value(path, in: payload, of: dimension) else { continue }
            figures[metric] = Figure(total: value, weight: 1)
        }
    }

    /// Reads the time that the app hung per hour of use. A payload with a histogram but no hangs
    /// counts as well: it has the best possible figure.
    private mutating func readHangRate(_ payload: JSONValue) {
        let foreground = Self.value(
            "applicationTimeMetrics.cumulativeForegroundTime", in: payload, of: .duration)
        let hangs = Self.histogram(
            "applicationResponsivenessMetrics.histogrammedAppHangTime", in: payload)
        guard let foreground, foreground > 0, let hangs, hangs.unreadCount == 0,
            hangs.total.isFinite
        else { return }
        figures[.hangTimePerForegroundHour] = Figure(
            total: hangs.total, weight: foreground / 3_600)
    }

    private static func histogram(_ path: String, in payload: JSONValue) -> Histogram? {
        let row = MetricTable.rows.first { $0.path.joined(separator: ".") == path }
        guard let row, let (json, _) = row.value(in: payload) else { return nil }
        return Histogram(json, of: .duration)
    }

    private static func value(
        _ path: String, in payload: JSONValue, of dimension: Measurement.Dimension
    ) -> Double? {
        payload.member(at: path.split(separator: ".")).flatMap {
            Measurement($0, of: dimension)
        }?.value
    }
}
