import HTMLText
import StackRendering

/// A metric of one app over its versions.
public struct MetricChart: Hashable, Sendable {
    public enum Rating: String, Hashable, Sendable {
        case good, fair, bad
    }

    public struct Row: Hashable, Sendable {
        public var version: String
        public var value: Double
        public var payloads: Int
        /// The rating, or `nil` if there are too few payloads.
        public var rating: Rating?

        public init(version: String, value: Double, payloads: Int, rating: Rating?) {
            self.version = version
            self.value = value
            self.payloads = payloads
            self.rating = rating
        }
    }

    public var name: String
    public var unit: String
    /// The thresholds: values up to `good` are good, and values from `bad` on are bad.
    public var good: Double
    public var bad: Double
    /// The versions, newest first.
    public var rows: [Row]

    public init(name: String, unit: String, good: Double, bad: Double, rows: [Row]) {
        self.name = name
        self.unit = unit
        self.good = good
        self.bad = bad
        self.rows = rows
    }
}

/// A metric that became worse from one version to the next.
public struct MetricChange: Hashable, Sendable {
    public var app: String
    public var metric: String
    public var text: String
    public var isCertain: Bool

    public init(app: String, metric: String, text: String, isCertain: Bool) {
        self.app = app
        self.metric = metric
        self.text = text
        self.isCertain = isCertain
    }
}

/// The metrics of each app by version, and the metrics that became worse.
public struct VersionsPage: Sendable {
    public var changes: [MetricChange]
    public var apps: [(app: String, charts: [MetricChart])]
    /// The newest versions with diagnostics.
    public var coverage: [VersionCoverageRow] = []
    /// The app of the URL's query, or `nil` for all apps.
    public var app: String?

    public init(changes: [MetricChange], apps: [(app: String, charts: [MetricChart])]) {
        self.changes = changes
        self.apps = apps
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .versions).page(title: "Versions") { html in
            html.element("h1", text: "Versions")
            FilterPills(app: app, without: context.link("versions")).write(to: &html)
            VersionCoverageTable(rows: coverage).write(to: &html, context)
            guard !apps.isEmpty else { return writeEmptiness(to: &html, context) }
            if !changes.isEmpty {
                html.element("ul", [.class("changes")]) { html in
                    for change in changes { write(change, to: &html) }
                }
            }
            for (app, charts) in apps {
                html.element("h2") { $0.name(app) }
                html.element("div", [.class("charts")]) { html in
                    for chart in charts { MetricPicture(app: app, chart: chart).write(to: &html) }
                }
            }
        }
    }

    /// Explains why there are no metrics, and what to do about it.
    private func writeEmptiness(to html: inout HTMLWriter, _ context: PageContext) {
        if app != nil, coverage.isEmpty {
            return FilterPills.writeNoMatch(
                of: "version", all: "All versions", at: context.link("versions"), to: &html)
        }
        html.element(
            "p",
            text:
                "No metrics \(app == nil ? "" : "of this app ")have been received yet. Let apps "
                + "send the metric payloads of MetricKit (see Documentation/MetricKit.md), or send "
                + "one yourself:")
        html.command(context.payloadCommand, id: "command")
    }

    private func write(_ change: MetricChange, to html: inout HTMLWriter) {
        html.element("li") { html in
            html.element(
                "strong", [.class("badge", change.isCertain ? "bad" : "warn")],
                text: change.isCertain ? "regression" : "may be chance")
            html.text(" ")
            html.name(change.app)
            html.text(": \(change.metric) ")
            html.name(change.text)
        }
    }
}

/// A metric as bars on one scale, with its thresholds as lines, and as a table.
private struct MetricPicture {
    let app: String
    let chart: MetricChart

    private static let rowHeight = 24

    func write(to html: inout HTMLWriter) {
        html.element("section", [.class("chart"), HTMLAttribute("aria-label", label)]) {
            html in
            html.element("h3", text: "\(chart.name), \(chart.unit)")
            html.element(
                "svg",
                [
                    HTMLAttribute("role", "img"), HTMLAttribute("width", "100%"),
                    HTMLAttribute("height", "\((chart.rows.count + 1) * Self.rowHeight)"),
                    HTMLAttribute("aria-label", "\(chart.name) by version"),
                ]
            ) { writeBars(to: &$0) }
            html.element("details") { html in
                html.element("summary", text: "Table")
                writeTable(to: &html)
            }
        }
    }

    private var label: String { "\(plain(app)): \(chart.name)" }

    private var scale: Double {
        max(chart.rows.map(\.value).max() ?? 0, chart.bad) * 1.25
    }

    /// The width of the scale, in percent of the picture. Versions are on its left, values and
    /// payloads on its right.
    private static let scaleWidth = 45.0

    private func width(_ value: Double) -> Double {
        scale > 0 ? min(max(value / scale, 0), 1) * Self.scaleWidth : 0
    }

    /// Returns a position on the scale.
    private func position(_ value: Double) -> String { "\(decimal(20 + width(value)))%" }

    private func writeBars(to html: inout HTMLWriter) {
        // The labels are on the outer sides of both lines, where they never overlap.
        writeThreshold(chart.good, label: "good ≤ ", anchor: "end", to: &html)
        writeThreshold(chart.bad, label: "bad ≥ ", anchor: "start", to: &html)
        for (index, row) in chart.rows.enumerated() {
            writeBar(of: row, top: (index + 1) * Self.rowHeight, to: &html)
        }
    }

    private func writeThreshold(
        _ value: Double, label: String, anchor: String, to html: inout HTMLWriter
    ) {
        let x = position(value)
        html.shape(
            "line",
            [
                .class("threshold"), HTMLAttribute("x1", x), HTMLAttribute("x2", x),
                HTMLAttribute("y1", "18"), HTMLAttribute("y2", "100%"),
            ])
        html.element(
            "text",
            [
                .class("note"), HTMLAttribute("x", x), HTMLAttribute("y", "14"),
                HTMLAttribute("text-anchor", anchor),
            ], text: label + number(value))
    }

    /// Writes the bar of a version, with the version on its left, and the value and the number of
    /// payloads on its right.
    private func writeBar(of row: MetricChart.Row, top: Int, to html: inout HTMLWriter) {
        let width = width(row.value)
        let baseline = HTMLAttribute("y", "\(top + 16)")
        writeVersion(of: row, top: top, to: &html)
        html.shape(
            "rect",
            [
                .class("bar", row.rating?.rawValue ?? "few"), HTMLAttribute("x", "20%"),
                HTMLAttribute("y", "\(top + 4)"), HTMLAttribute("height", "16"),
                HTMLAttribute("width", "\(decimal(width))%"),
            ])
        html.element(
            "text", [HTMLAttribute("x", "\(decimal(20.5 + width))%"), baseline],
            text: "\(number(row.value)) \(row.rating == nil ? "unrated" : words(of: row))")
        html.element(
            "text",
            [
                .class("note payloads"), HTMLAttribute("x", "100%"), baseline,
                HTMLAttribute("text-anchor", "end"),
            ], text: payloadText(row.payloads))
    }

    /// Writes the version, truncated where the bars start, with the complete version as its title.
    private func writeVersion(of row: MetricChart.Row, top: Int, to html: inout HTMLWriter) {
        let version = plain(row.version)
        html.element(
            "svg",
            [
                HTMLAttribute("y", top), HTMLAttribute("width", "19.5%"),
                HTMLAttribute("height", Self.rowHeight),
            ]
        ) { html in
            html.element("title", text: version)
            html.element("text", [HTMLAttribute("y", 16)], text: version)
        }
    }

    private func writeTable(to html: inout HTMLWriter) {
        ListTable(name: "\(label), table", columns: ["Version", chart.unit, "Payloads", "Rating"])
            .write(to: &html) { html in
                for row in chart.rows {
                    html.element("tr") { html in
                        html.cell(row.version)
                        html.element("td", [.class("count")], text: number(row.value))
                        html.count(row.payloads)
                        html.element("td", text: words(of: row))
                    }
                }
            }
    }

    private func payloadText(_ count: Int) -> String {
        count == 1 ? "1 payload" : "\(grouped(count)) payloads"
    }

    /// The rating with its symbol, so that it does not depend on colours.
    private func words(of row: MetricChart.Row) -> String {
        switch row.rating {
        case .good: "✓ good"
        case .fair: "○ fair"
        case .bad: "✕ bad"
        case nil: "too few to rate"
        }
    }

    /// `412`, `3.2`, `0.04`.
    private func number(_ value: Double) -> String {
        value >= 100 ? grouped(Int(value.rounded())) : decimal(value)
    }

    /// Returns a number with at most two decimal places.
    private func decimal(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        guard hundredths % 100 != 0 else { return "\(hundredths / 100)" }
        let rest = abs(hundredths % 100)
        return "\(hundredths / 100)."
            + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
    }
}
