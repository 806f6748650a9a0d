import CallStacks
import Ingest
import MetricKitSignals

/// The figures of the newest versions as the text that Prometheus reads, with the thresholds beside
/// them, by which a dashboard can colour them.
///
/// Apps and versions are texts from outside, so only a few become labels.
struct FigureExposition {
    let archive: any FigureArchive
    let now: UnixTime

    /// How many rows of apps and versions are shown, and how many versions of one app.
    static let rowLimit = 100
    static let versionsPerApp = 5
    /// How old the newest figure of a version may be, and from when on its figures count.
    static let days = 30

    /// - Parameter app: The only one to show; `nil` for all.
    func text(app: String?) async throws -> String {
        var query = FigureQuery(app: app, limit: Self.rowLimit)
        query.firstDay = Int(now.rawValue / FigureDay.milliseconds) - Self.days
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
            "Average of a watched metric over 30 days, in the unit that its label says.", &text)
        for (labels, average) in rows(versions) {
            text += "symbolist_app_metric{\(labels)} \(average.value)\n"
        }
        add("symbolist_app_metric_samples", "How many events the average is made of.", &text)
        for (labels, average) in rows(versions) {
            text += "symbolist_app_metric_samples{\(labels)} \(average.sampleCount)\n"
        }
        add(
            "symbolist_app_metric_payloads_left_out",
            "Payloads that span several versions, and so belong to none.", &text)
        for figures in versions {
            text +=
                "symbolist_app_metric_payloads_left_out{\(labels(of: figures))} "
                + "\(figures.leftOutCount)\n"
        }
        add(
            "symbolist_app_metric_threshold", "Up to where a metric is good, from where bad.", &text
        )
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

    private static func add(_ name: String, _ meaning: String, _ text: inout String) {
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
