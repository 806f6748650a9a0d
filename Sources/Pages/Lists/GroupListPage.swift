public import CallStacks
import HTMLText
import StackRendering

/// The crashes and hangs, by group.
public struct GroupListPage: Sendable {
    /// The filter and the order of the list, as in the URL.
    public struct Filter: Hashable, Sendable {
        public var app: String?
        public var kind: DiagnosticKind?
        public var version: String?
        public var status: Status?
        public var sort: Sort?
        public var text: String?

        public init() {}

        var query: [(name: String, value: String?)] {
            [
                ("app", app), ("kind", kind?.rawValue), ("version", version),
                ("status", status?.rawValue), ("sort", sort?.rawValue), ("q", text),
            ]
        }

        /// Whether the list contains only some of the groups.
        public var isActive: Bool { !parts.isEmpty }

        /// The active parts of the filter, each with the rest.
        var parts: [(name: String, value: String, rest: Self)] {
            var parts: [(String, String, Self)] = []
            func add(_ name: String, _ value: String?, _ remove: (inout Self) -> Void) {
                guard let value else { return }
                var rest = self
                remove(&rest)
                parts.append((name, value, rest))
            }
            // A version needs its app.
            add("App", app) { ($0.app, $0.version) = (nil, nil) }
            add("Kind", kind?.plural) { $0.kind = nil }
            add("Version", version) { $0.version = nil }
            add("Symbols", status?.rawValue) { $0.status = nil }
            add("Text", text) { $0.text = nil }
            return parts
        }
    }

    /// The orders of the list.
    public enum Sort: String, Sendable, CaseIterable {
        case last, count, new

        fileprivate var title: String {
            switch self {
            case .last: "last seen"
            case .count: "most diagnostics"
            case .new: "first seen"
            }
        }
    }

    /// Whether groups have any symbols.
    public enum Status: String, Sendable, CaseIterable {
        case readable, raw
    }

    /// The diagnostics that wait for symbols.
    public struct Unreadable: Hashable, Sendable {
        /// The number of diagnostics that wait for the most wanted image.
        public var diagnostics: Int
        public var images: Int

        public init(diagnostics: Int, images: Int) {
            self.diagnostics = diagnostics
            self.images = images
        }
    }

    public var filter: Filter
    /// The numbers of groups by kind.
    public var counts: [(kind: DiagnosticKind, count: Int)] = []
    public var apps: [String] = []
    /// The versions of the chosen app, newest first.
    public var versions: [String] = []
    public var rows: [GroupRow] = []
    public var neighbours = PageNeighbours()
    /// The diagnostics that wait for symbols, or `nil` if there are none.
    public var unreadable: Unreadable?
    /// The number of groups that an empty filter finds.
    public var unfilteredCount = 0
    public var now: UnixTime

    public init(filter: Filter, now: UnixTime) {
        self.filter = filter
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        let title = filter.kind?.plural ?? "Crashes and hangs"
        return PageShell(context, section: PageSection(of: filter.kind)).page(title: title) {
            html in
            html.element("h1", text: title)
            writeKinds(to: &html, context)
            writeFilters(to: &html, context)
            writePills(to: &html, context)
            writeUnreadable(to: &html, context)
            if rows.isEmpty { writeEmptiness(to: &html, context) }
            writeRows(rows.filter { !$0.isRaw }, to: &html, context)
            writeRaw(to: &html, context)
            neighbours.write(
                to: &html, segments: [], query: filter.query, words: filter.sort.pageWords, context)
        }
    }

    private func link(_ filter: Filter, _ context: PageContext) -> LinkTarget {
        LinkTarget(prefix: context.prefix, segments: [], query: filter.query)
    }

    private func writeKinds(to html: inout HTMLWriter, _ context: PageContext) {
        guard !counts.isEmpty else { return }
        html.element("p", [.class("controls")]) { html in
            var all = filter
            all.kind = nil
            html.element(
                "a",
                [
                    .class("button"), .href(link(all, context)),
                    HTMLAttribute("aria-current", filter.kind == nil ? "true" : nil),
                ], text: "All \(counts.reduce(0) { $0 + $1.count })")
            for (kind, count) in counts {
                var filter = filter
                filter.kind = kind
                html.element(
                    "a",
                    [
                        .class("button"), .href(link(filter, context)),
                        HTMLAttribute("aria-current", self.filter.kind == kind ? "true" : nil),
                    ], text: "\(kind.plural) \(count)")
            }
        }
    }

    private func writeFilters(to html: inout HTMLWriter, _ context: PageContext) {
        html.element("form", [.class("controls"), .action(context.link())]) { html in
            if let kind = filter.kind {
                html.void("input", [.type("hidden"), .name("kind"), .value(kind.rawValue)])
            }
            if let text = filter.text {
                html.void("input", [.type("hidden"), .name("q"), .value(text)])
            }
            html.choice("App", name: "app", of: [""] + apps, chosen: filter.app)
            // The choice of versions depends on the app.
            if !versions.isEmpty || filter.version != nil {
                html.choice(
                    "Version", name: "version", of: [""] + versions, chosen: filter.version)
            }
            html.choice(
                "Symbols", name: "status", of: [""] + Status.allCases.map(\.rawValue),
                chosen: filter.status?.rawValue)
            html.choice(
                "Sort by", name: "sort", of: Sort.allCases.map(\.rawValue),
                chosen: (filter.sort ?? .last).rawValue
            ) { Sort(rawValue: $0)?.title ?? $0 }
            html.element("button", text: "Apply")
        }
    }

    private func writePills(to html: inout HTMLWriter, _ context: PageContext) {
        let pills = filter.parts.map { part in
            FilterPills.Pill(
                name: part.name, value: part.value, without: link(part.rest, context))
        }
        FilterPills(pills: pills).write(to: &html)
    }

    private func writeUnreadable(to html: inout HTMLWriter, _ context: PageContext) {
        guard let unreadable else { return }
        html.element("p", [.class("remedy")]) { html in
            // A diagnostic may wait for several images.
            let bound = unreadable.images > 1 ? "At least " : ""
            html.text(
                bound + "\(counted(unreadable.diagnostics, "diagnostic")) cannot be read yet: "
                    + "\(counted(unreadable.images, "image")) without symbols. ")
            let target = context.link("missing", query: [("app", filter.app)])
            html.element("a", [.href(target)], text: "Missing symbols")
        }
    }

    private func writeRows(
        _ rows: [GroupRow], to html: inout HTMLWriter, _ context: PageContext
    ) {
        guard !rows.isEmpty else { return }
        let showsApps = filter.app == nil && apps.count > 1
        GroupRow.write(
            rows, name: "Groups", showsApps: showsApps, to: &html, now: now, context)
    }

    /// Writes an explanation of why the list is empty, and a suggestion.
    private func writeEmptiness(to html: inout HTMLWriter, _ context: PageContext) {
        guard !filter.isActive else {
            return FilterPills.writeNoMatch(
                of: "group", all: "\(counted(unfilteredCount, "group")) without filters",
                at: context.link(), to: &html)
        }
        html.element(
            "p",
            text:
                "No crashes or hangs have been received yet. Let apps send OpenTelemetry logs to "
                + "\(context.serverURL)/v1/logs, send a MetricKit payload, or drop a crash file on "
                + "this page.")
        html.command(context.payloadCommand, id: "command")
    }

    private func writeRaw(to html: inout HTMLWriter, _ context: PageContext) {
        let raw = rows.filter(\.isRaw)
        guard !raw.isEmpty else { return }
        let sum = raw.reduce(0) { $0 + $1.count }
        let isOnly = raw.count == rows.count
        html.element("details", [.class("part"), HTMLAttribute("open", isSet: isOnly)]) { html in
            html.element(
                "summary",
                text:
                    "\(counted(raw.count, "group")) without symbols (\(counted(sum, "diagnostic")))"
            )
            writeRows(raw, to: &html, context)
        }
    }
}

extension DiagnosticKind {
    /// The name of a list of diagnostics of this kind.
    var plural: String {
        switch self {
        case .crash: "Crashes"
        case .hang: "Hangs"
        case .cpuException: "CPU exceptions"
        case .diskWriteException: "Disk write exceptions"
        case .appLaunch: "Launches"
        case .memoryException: "Memory exceptions"
        case .unknown: "Other diagnostics"
        }
    }
}

extension GroupListPage.Sort? {
    /// The names of the links to the previous and next pages.
    fileprivate var pageWords: PageNeighbours.Words {
        switch self {
        case nil, .last, .new: .times
        case .count: .positions
        }
    }
}
