public import CallStacks
import HTMLText
import StackRendering

/// A group: the diagnostics of an app with one fingerprint.
public struct GroupPage: Sendable {
    /// A version of the app with diagnostics of the group.
    public struct Version: Hashable, Sendable {
        /// `nil` if the diagnostics name no version.
        public var version: String?
        public var count: Int
        public var firstSeen: UnixTime
        public var lastSeen: UnixTime
        /// The numbers of frames: those with a function, and all.
        public var resolvedFrames: Int
        public var frames: Int

        public init(
            version: String?, count: Int, firstSeen: UnixTime, lastSeen: UnixTime,
            resolvedFrames: Int, frames: Int
        ) {
            self.version = version
            self.count = count
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
            self.resolvedFrames = resolvedFrames
            self.frames = frames
        }
    }

    /// The number of days of the chart.
    public static let dayCount = 90

    /// The group, as lists show it. Its days are those of the chart.
    public var group: GroupRow
    public var firstSeen: UnixTime
    /// Newest first.
    public var versions: [Version] = []
    /// Other apps with diagnostics of this fingerprint.
    public var otherApps: [String] = []
    /// The newest diagnostic, or `nil` if its report was removed.
    public var newest: SymbolicatedDiagnostic?
    /// The merged stacks if the group consists of hangs or other sampled diagnostics.
    public var flame: MergedStacks?
    /// The reason why the stacks cannot be read, or `nil` if they can. The rest of the page does not
    /// depend on them.
    public var stackProblem: String?
    public var flameOptions = FlameViewOptions()
    /// One page of the group's diagnostics.
    public var rows: [DiagnosticRow] = []
    public var neighbours = PageNeighbours()
    public var now: UnixTime

    public init(group: GroupRow, firstSeen: UnixTime, now: UnixTime) {
        self.group = group
        self.firstSeen = firstSeen
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: PageSection(of: group.kind)).page(title: tabTitle) { html in
            html.element("h1") { $0.name(group.title) }
            writeSummary(to: &html, context)
            if !neighbours.isLaterPage { writeHistory(to: &html, context) }
            html.element("h2", [.id("diagnostics")], text: "Diagnostics")
            ListTable(
                name: "Diagnostics",
                columns: ["Received", "App", "Version", "Symbols", "Frames with function"]
            ).write(to: &html) { html in
                for row in rows { row.write(to: &html, now: now, context) }
            }
            neighbours.write(
                to: &html, segments: ["g", group.fingerprint], query: [("app", group.app)], context)
        }
    }

    /// The function, app and newest version. It never contains a message of the program.
    private var tabTitle: String {
        let app = [group.app, group.versions.first].compactMap(\.self).joined(separator: " ")
        return [group.culprit ?? group.kind.words, app].filter { !$0.isEmpty }
            .joined(separator: ", ")
    }

    private func writeSummary(to html: inout HTMLWriter, _ context: PageContext) {
        html.element("p", [.class("summary")]) { html in
            if let trend = group.trend {
                html.element("strong", [.class("badge warn")], text: trend.rawValue)
                html.text(" ")
            }
            if group.isRaw {
                html.element("strong", [.class("badge bad")], text: "without symbols")
                html.text(" ")
            }
            html.text("\(counted(group.count, "diagnostic")), first ")
            TimeText(time: firstSeen, now: now).write(to: &html)
            html.text(", last ")
            TimeText(time: group.lastSeen, now: now).write(to: &html)
        }
        html.element("dl", [.class("facts")]) { html in
            html.fact("App", group.app ?? "unknown")
            html.fact("Kind", group.kind.words)
            html.element("div") { html in
                html.element("dt", text: "Group")
                html.element("dd") { $0.code(group.fingerprint) }
            }
            guard !otherApps.isEmpty else { return }
            html.element("div") { html in
                html.element("dt", text: "Also in")
                for app in otherApps {
                    let target = context.link("g", group.fingerprint, query: [("app", app)])
                    html.element("dd") { html in
                        html.element("a", [.href(target)]) { $0.name(app) }
                    }
                }
            }
        }
    }

    /// Writes the part of the first page above the list.
    private func writeHistory(to html: inout HTMLWriter, _ context: PageContext) {
        DayChart(counts: group.days).write(to: &html)
        VersionShares(page: self).write(to: &html)
        if let stackProblem {
            html.element("p", [.class("warn")]) { html in
                html.text("The stacks cannot be shown: ")
                html.name(stackProblem)
            }
        } else if let flame {
            html.element("h2", text: "Where the time goes")
            let query = [("app", group.app)]
            FlameSection(
                flame, options: flameOptions, context: context, segments: ["g", group.fingerprint],
                query: query
            ).write(to: &html)
        } else if let newest, let stack = newest.shownStacks.first {
            let page = DiagnosticPage(newest, segments: ["d", rows.first?.uid ?? ""])
            html.element("h2") { html in
                html.element(
                    "a", [.href(page.link(context)(DiagnosticViewOptions()))],
                    text: "Newest diagnostic")
            }
            Remedies(of: newest, in: context).write(to: &html)
            ThreadSection(
                diagnostic: newest, stack: stack, position: 0, isOpen: true,
                imageLinks: ImageLinks(to: newest.images, in: context),
                options: DiagnosticViewOptions(), links: nil, here: page.link(context)
            ).write(to: &html)
        }
    }
}

extension PageNeighbours {
    /// Whether this is not the first page of its list.
    fileprivate var isLaterPage: Bool { newer != nil }
}

extension HTMLWriter {
    /// Writes one entry of a list of facts.
    mutating func fact(_ label: String, _ value: String) {
        element("div") { html in
            html.element("dt", text: label)
            html.element("dd") { $0.name(value) }
        }
    }
}
