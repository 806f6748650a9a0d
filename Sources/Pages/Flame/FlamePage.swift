public import CallStacks
import FlameGraphs
import HTMLText
import StackRendering

/// The hangs of one version of an app as a flame graph, alone or next to those of another version.
public struct FlamePage: Sendable {
    /// The selection in the URL.
    public struct Choice: Hashable, Sendable {
        public var app: String?
        public var version: String?
        /// The version to compare with.
        public var against: String?
        public var kind = DiagnosticKind.hang

        public init() {}

        var query: [(name: String, value: String?)] {
            [
                ("app", app), ("version", version), ("kind", kind.rawValue),
                ("against", against),
            ]
        }
    }

    public var choice: Choice
    public var options = FlameViewOptions()
    /// The apps, and the versions of the chosen app, newest first.
    public var apps: [String] = []
    public var versions: [String] = []
    /// The stacks to show, or `nil` until an app and a version are chosen.
    public var merged: MergedStacks?
    public var before: MergedStacks?

    public init(choice: Choice) { self.choice = choice }

    public func page(in context: PageContext) -> [UInt8] {
        let subject = [choice.app, choice.version].compactMap(\.self).joined(separator: " ")
        let title = subject.isEmpty ? "Flame graphs" : "\(choice.kind.plural), \(subject)"
        return PageShell(context, section: .versions).page(title: title) { html in
            html.element("h1") { $0.name(title) }
            writeChoices(to: &html, context)
            guard let merged else { return writeAdvice(to: &html) }
            if let before {
                writeComparison(of: merged, with: before, to: &html, context)
            } else {
                FlameSection(
                    merged, options: options, context: context, segments: ["flame"],
                    query: choice.query
                ).write(to: &html)
            }
        }
    }

    private func writeChoices(to html: inout HTMLWriter, _ context: PageContext) {
        html.element("form", [.class("controls"), .action(context.link("flame"))]) { html in
            html.choice("App", name: "app", of: apps, chosen: choice.app)
            if !versions.isEmpty || choice.version != nil {
                html.choice("Version", name: "version", of: versions, chosen: choice.version)
                html.choice(
                    "Compared with", name: "against",
                    of: [""] + versions.filter { $0 != choice.version },
                    chosen: choice.against == choice.version ? nil : choice.against,
                    all: "no other version")
            }
            html.choice(
                "Kind", name: "kind",
                of: DiagnosticKind.allCases.filter(\.isSampled).map(\.rawValue),
                chosen: choice.kind.rawValue
            ) { DiagnosticKind(rawValue: $0)?.plural ?? $0 }
            html.element("button", text: "Show")
        }
    }

    private func writeAdvice(to html: inout HTMLWriter) {
        html.element(
            "p",
            text: apps.isEmpty
                ? "No diagnostics have been received yet."
                : "Choose an app and a version: this page merges the stacks of its newest 10,000 "
                    + "hangs, CPU exceptions, disk write exceptions or launches into one picture.")
    }

    private func writeComparison(
        of after: MergedStacks, with before: MergedStacks, to html: inout HTMLWriter,
        _ context: PageContext
    ) {
        let here = FlameLinks(prefix: context.prefix, segments: ["flame"], query: choice.query)
        let changes = FlameChanges(before: before.graph, after: after.graph)
        let canCompare = before.graph.total > 0 && after.graph.total > 0
        let byCell = canCompare ? changes.byCell : [:]
        FlameControls(
            graphs: [before.graph, after.graph], options: options, isMerged: true, here: here
        ).write(to: &html)
        if canCompare { writeLegend(to: &html) }
        html.element("div", [.class("compared")]) { html in
            write(before, choice.against, [:], here, end: "after", to: &html)
            write(after, choice.version, byCell, here, end: "changes", to: &html)
        }
        if canCompare {
            changes.write(to: &html)
        } else {
            html.element(
                "p", [.id("changes"), .class("note")],
                text: "One of the versions has no samples, so they cannot be compared.")
        }
    }

    private func writeLegend(to html: inout HTMLWriter) {
        html.element("p", [.class("note")]) { html in
            html.text("▲ takes a larger share of ")
            html.name(choice.version ?? "")
            html.text(" than of ")
            html.name(choice.against ?? "")
            html.text(", ▼ a smaller one. Changes below 1 % are not marked.")
        }
    }

    /// Writes one of the two pictures.
    private func write(
        _ merged: MergedStacks, _ version: String?, _ changes: [CellID: Double], _ here: FlameLinks,
        end: String, to html: inout HTMLWriter
    ) {
        let id = end == "after" ? nil : "after"
        html.element("section", [.id(id), HTMLAttribute("aria-label", "Version \(version ?? "")")])
        { html in
            html.element("h2") { $0.name(version ?? "") }
            html.element("p", [.class("note")], text: merged.words)
            guard !merged.graph.nodes.isEmpty else {
                return html.element("p", text: "There are no samples.")
            }
            var picture = IciclePicture(graph: merged.graph, options: options, here: here)
            picture.name = "Icicle of \(plain(version ?? ""))"
            picture.changes = changes
            picture.end = end
            picture.write(to: &html)
        }
    }
}
