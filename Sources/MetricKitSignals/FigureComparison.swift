/// A watched metric that is worse in one version of an app than in another.
public struct FigureComparison: Hashable, Sendable {
    /// How much is to be believed of it.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        case regression
        /// One of the versions has fewer payloads than ``FigureComparison/payloadsWanted``.
        case tooFewSamples = "too_few_samples"
        /// The payloads of a version differ more among themselves.
        case withinNoise = "within_noise"
    }

    public let metric: WatchedMetric
    public let earlier: FigureAverage
    public let later: FigureAverage
    public let verdict: Verdict

    /// With fewer of them a single slow device decides.
    public static let payloadsWanted = 20
    /// How many standard errors a difference has to be larger than.
    private static let certainty = 2.0

    /// How much larger the later figure is: 0.1 for a tenth; `nil` where the earlier one is zero.
    public var change: Double? {
        earlier.value > 0 ? later.value / earlier.value - 1 : nil
    }

    /// What became worse by more than `change` from one version to another, the worst first.
    ///
    /// - Parameter change: 0.1 for a tenth.
    public static func worsened(
        from earlier: VersionFigures, to later: VersionFigures, byMoreThan change: Double
    ) -> [Self] {
        WatchedMetric.allCases.compactMap { metric in
            guard let before = earlier.averages[metric], let after = later.averages[metric],
                after.value > before.value * (1 + change)
            else { return nil }
            return Self(metric, before, after)
        }.sorted { ($0.change ?? .infinity) > ($1.change ?? .infinity) }
    }

    private init(_ metric: WatchedMetric, _ earlier: FigureAverage, _ later: FigureAverage) {
        self.metric = metric
        self.earlier = earlier
        self.later = later
        verdict =
            if min(earlier.payloadCount, later.payloadCount) < Self.payloadsWanted {
                .tooFewSamples
            } else if Self.isClear(earlier, later) {
                .regression
            } else {
                .withinNoise
            }
    }

    /// Errors of both figures add up by their squares.
    private static func isClear(_ earlier: FigureAverage, _ later: FigureAverage) -> Bool {
        guard let before = earlier.standardError, let after = later.standardError
        else { return false }
        let error = (before * before + after * after).squareRoot()
        return later.payloadMean - earlier.payloadMean > certainty * error
    }
}
