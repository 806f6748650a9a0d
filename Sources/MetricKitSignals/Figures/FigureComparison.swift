/// A watched metric that is worse in one version of an app than in another.
public struct FigureComparison: Hashable, Sendable {
    /// The significance of the difference.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        case regression
        /// One of the versions has fewer payloads than ``FigureComparison/payloadsWanted``.
        case tooFewSamples = "too_few_samples"
        /// The difference is smaller than the variation among the payloads of a version.
        case withinNoise = "within_noise"
    }

    public let metric: WatchedMetric
    public let earlier: FigureAverage
    public let later: FigureAverage
    public let verdict: Verdict

    /// The minimum number of payloads. With fewer, a single slow device would determine the result.
    public static let payloadsWanted = 20
    /// The minimum difference in standard errors.
    private static let certainty = 2.0

    /// The relative increase of the later figure, such as 0.1; `nil` if the earlier one is zero.
    public var change: Double? {
        earlier.value > 0 ? later.value / earlier.value - 1 : nil
    }

    /// Returns the metrics that became worse by more than `change`, worst first.
    ///
    /// - Parameter change: The relative increase, 0.1 for a tenth.
    public static func worsened(
        from earlier: VersionFigures, to later: VersionFigures, byMoreThan change: Double
    ) -> [Self] {
        WatchedMetric.allCases.compactMap { metric in
            guard let before = earlier.averages[metric], let after = later.averages[metric],
                after.value > before.value * (1 + change)
            else { return nil }
            return Self(metric, earlier: before, later: after)
        }.sorted { ($0.change ?? .infinity) > ($1.change ?? .infinity) }
    }

    private init(_ metric: WatchedMetric, earlier: FigureAverage, later: FigureAverage) {
        self.metric = metric
        self.earlier = earlier
        self.later = later
        verdict =
            if min(earlier.payloadCount, later.payloadCount) < Self.payloadsWanted {
                .tooFewSamples
            } else if Self.isClear(earlier, later: later) {
                .regression
            } else {
                .withinNoise
            }
    }

    /// Independent errors add up by their squares.
    private static func isClear(_ earlier: FigureAverage, later: FigureAverage) -> Bool {
        guard let before = earlier.standardError, let after = later.standardError
        else { return false }
        let error = (before * before + after * after).squareRoot()
        return later.payloadMean - earlier.payloadMean > certainty * error
    }
}
