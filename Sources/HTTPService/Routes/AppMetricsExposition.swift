import CallStacks
import Ingest
import MetricKitSignals

/// The metrics of the newest app versions in the Prometheus text format, with their thresholds,
/// which dashboards use for colours.
///
/// Apps and versions come from clients, so the number of labels is limited.
struct AppMetricsExposition {
    let archive: any FigureArchive
    let now: UnixTime

    /// The maximum numbers of app versions in total and per app.
    static let rowLimit = 100
    static let versionsPerApp = 5
    /// The number of days that are averaged. Versions without newer metrics are omitted.
    static let days = 30

    /// - Parameter app: The app to show, or `nil` for all.
    func text(app: String?) async throws -> String {
        var query = FigureQuery(app: app, limit: Self.rowLimit)
        query.firstDay = Int(now.day) - Self.days
        var counts: [String: Int] = [:]
        let versions = try await archive.figures(query).filter {
            counts[$0.app, default: 0] += 1
            return counts[$0.app, default: 0] <= Self.versionsPerApp
        }
        return versions.isEmpty ? "" : Self.text(versions)
    }

    private static func text(_ versions: [VersionFigures]) -> String {
        var text = ""
        add(
            "symbolist_app_metric",
            "Average of a watched metric over 30 days, in the unit of its label.", text: &text)
        for (labels, average) in rows(versions) {
            text += "symbolist_app_metric{\(labels)} \(average.value)\n"
        }
        add("symbolist_app_metric_samples", "Number of events in the average.", text: &text)
        for (labels, average) in rows(versions) {
            text += "symbolist_app_metric_samples{\(labels)} \(average.sampleCount)\n"
        }
        add(
            "symbolist_app_metric_payloads_left_out",
            "Payloads excluded because they span several versions.", text: &text)
        for figures in versions {
            text +=
                "symbolist_app_metric_payloads_left_out{\(labels(of: figures))} "
                + "\(figures.leftOutCount)\n"
        }
        add(
            "symbolist_app_metric_threshold",
            "Value up to which a metric is good, or from which it is bad.", text: &text)
        for metric in WatchedMetric.allCases {
            for (level, value) in [
                ("good", metric.thresholds.good), ("bad", metric.thresholds.bad),
            ] {
                text +=
                    "symbolist_app_metric_threshold{level=\"\(level)\","
                    + "\(labels(of: metric))} \(value)\n"
            }
        }
        return text
    }

    private static func add(_ name: String, _ meaning: String, text: inout String) {
        text += "# HELP \(name) \(meaning)\n# TYPE \(name) gauge\n"
    }

    private static func rows(
        _ versions: [VersionFigures]
    ) -> [(labels: String, average: FigureAverage)] {
        versions.flatMap { figures in
            WatchedMetric.allCases.compactMap { metric in
                figures.averages[metric].map {
                    ("\(labels(of: figures)),\(labels(of: metric))", $0)
                }
            }
        }
    }

    private static func labels(of figures: VersionFigures) -> String {
        "app=\"\(escaped(figures.app))\",version=\"\(escaped(figures.version))\""
    }

    private static func labels(of metric: WatchedMetric) -> String {
        "metric=\"\(metric.name)\",unit=\"\(metric.unit)\""
    }

    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
