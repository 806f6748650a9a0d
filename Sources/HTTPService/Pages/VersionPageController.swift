import Hummingbird
import HummingbirdCore
import Ingest
import MetricKitSignals
import Pages

/// The page of metrics by version.
struct VersionPageController {
    let site: PageSite
    let archive: any FigureArchive
    let groups: any GroupArchive

    /// The maximum number of versions in a chart.
    static let versionLimit = 12
    /// The minimum number of payloads for a rating.
    static let ratedPayloads = 30
    /// The smallest relative change that is shown.
    private static let smallestChange = 0.1

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/versions"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        let app = try context.caller.app(requested: parameters.text("app"))
        let figures = try await archive.figures(
            FigureQuery(app: app, limit: FigureQuery.largestLimit))
        let apps = Dictionary(grouping: figures, by: \.app).sorted { $0.key < $1.key }
        var page = VersionsPage(
            changes: apps.compactMap { VersionPair($0.value, from: nil, to: nil) }
                .flatMap(changes),
            apps: apps.map { ($0.key, charts($0.value)) })
        page.app = parameters.text("app")
        var parts = PageParts()
        page.coverage = await parts.read("Diagnostics by version", or: []) {
            try await groups.coverage(app: app).map(VersionCoverageRow.init)
        }
        return try site.response(
            page.page(in: site.context(of: request, context, parts)), to: request)
    }

    private func changes(_ pair: VersionPair) -> [MetricChange] {
        FigureComparison.worsened(
            from: pair.earlier, to: pair.later, byMoreThan: Self.smallestChange
        ).map { change in
            let (unit, factor) = change.metric.readable
            let percent = change.change.map { ", +\(Int(($0 * 100).rounded())) %" } ?? ""
            let values = [change.earlier, change.later].map { average in
                let value = average.value * factor
                return value >= 100 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
            }
            return MetricChange(
                app: pair.later.app, metric: change.metric.title,
                text: "\(values[0]) → \(values[1]) \(unit)\(percent), \(pair.earlier.version) → "
                    + "\(pair.later.version), \(change.earlier.payloadCount) and "
                    + "\(change.later.payloadCount) payloads",
                isCertain: change.verdict == .regression)
        }
    }

    /// - Parameter versions: The figures of one app.
    private func charts(_ versions: [VersionFigures]) -> [MetricChart] {
        let newest = versions.sorted(byVersion: \.version).reversed().prefix(Self.versionLimit)
        return WatchedMetric.allCases.compactMap { metric in
            let (unit, factor) = metric.readable
            let rows = newest.compactMap { figures in
                figures.averages[metric].map { average in
                    MetricChart.Row(
                        version: figures.version, value: average.value * factor,
                        payloads: average.payloadCount, rating: rating(average, of: metric))
                }
            }
            guard !rows.isEmpty else { return nil }
            return MetricChart(
                name: metric.title, unit: unit, good: metric.thresholds.good * factor,
                bad: metric.thresholds.bad * factor, rows: rows)
        }
    }

    private func rating(
        _ average: FigureAverage, of metric: WatchedMetric
    ) -> MetricChart.Rating? {
        guard average.payloadCount >= Self.ratedPayloads else { return nil }
        if average.value <= metric.thresholds.good { return .good }
        return average.value < metric.thresholds.bad ? .fair : .bad
    }
}

extension VersionCoverageRow {
    init(_ coverage: VersionCoverage) {
        self.init(
            app: coverage.app, version: coverage.version, diagnostics: coverage.diagnosticCount,
            frames: coverage.frameCount, resolvedFrames: coverage.symbolicatedFrameCount)
    }
}

extension WatchedMetric {
    /// `Time to first draw`.
    fileprivate var title: String {
        let words = name.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
