public import CallStacks
public import HTMLText
import StackRendering

/// A diagnostic: a crash with its threads, or a sampled stack.
public struct DiagnosticPage: Sendable {
    public var diagnostic: SymbolicatedDiagnostic
    public var options = DiagnosticViewOptions()
    public var flame = FlameViewOptions()
    public var links: SourceLinks?
    /// The page's own path, below the prefix.
    public var segments: [String]
    /// The names of the download formats, with their links.
    public var downloads: [(name: String, target: LinkTarget)] = []
    /// Facts in addition to those in the report.
    public var facts: [(label: String, value: String)] = []
    /// The fingerprint of the group that the page links to.
    public var group: String?
    /// The app of that group, because groups of several apps may have the same fingerprint.
    public var groupApp: String?
    /// The identifier of its trace, with the link to it if there is one.
    public var trace: (id: String, target: LinkTarget?)?
    /// The attributes of its log record, or empty if it has none.
    public var attributes: [AttributeRow] = []
    /// The identifiers of the next newer and the next older diagnostic of the group.
    public var newer: String?
    public var older: String?
    /// Its position in the group, counted from the newest diagnostic, and the size of the group.
    public var position: (number: Int, count: Int)?
    /// Remarks above the stacks.
    public var notes: [String] = []
    /// The report as text, which replaces the stacks.
    public var text: String?
    /// The number of the report among several of a drop.
    public var report: Int?
    /// The action of the form that removes a dropped report.
    public var forget: LinkTarget?
    /// Whether symbols may still arrive, so that the page checks for a newer version of itself.
    public var isWaiting = false

    public init(_ diagnostic: SymbolicatedDiagnostic, segments: [String]) {
        self.diagnostic = diagnostic
        self.segments = segments
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: PageSection(of: diagnostic.kind)).page(title: tabTitle) {
            write(to: &$0, context)
        }
    }

    /// Writes the content of the page.
    func write(to html: inout HTMLWriter, _ context: PageContext) {
        let state = diagnostic.images.map(\.status.rawValue).joined(separator: " ")
        html.element("div", [.class("title")]) { html in
            html.element("h1", [HTMLAttribute("data-state", isWaiting ? state : nil)]) {
                $0.name(diagnostic.title)
            }
            writeNeighbours(to: &html, context)
        }
        DiagnosticSummary(
            diagnostic: diagnostic, facts: facts, group: group, groupApp: groupApp, trace: trace,
            context: context
        ).write(to: &html)
        DiagnosticControls(page: self, context: context).write(to: &html)
        for note in notes { html.element("p", [.class("note")], text: note) }
        writeRemarks(to: &html)
        Remedies(of: diagnostic, in: context).write(to: &html)
        if let text { writeReport(text, to: &html) } else { writeStacks(to: &html, context) }
        ImageSection(images: diagnostic.images, context: context).write(to: &html)
        writeRegisters(to: &html)
        var original = options
        original.form = .original
        AttributeTable(rows: attributes, original: link(context)(original)).write(to: &html)
    }

    private func writeReport(_ text: String, to html: inout HTMLWriter) {
        html.element(
            "pre",
            [
                .class("report", options.form == .original ? "wrapped" : nil),
                HTMLAttribute("tabindex", "0"),
                HTMLAttribute("role", "region"), HTMLAttribute("aria-label", "Report"),
            ]
        ) { writeLines(of: text, to: &$0) }
    }

    private func writeStacks(to html: inout HTMLWriter, _ context: PageContext) {
        switch diagnostic.form {
        case .sampled:
            FlameSection(
                diagnostic: diagnostic, options: flame, context: context, segments: segments,
                query: [("report", report.map { "\($0)" })]
            ).write(to: &html)
        case .threads: writeThreads(to: &html, context)
        }
    }

    /// Writes the remarks about the whole report. Those about frames are with the frames, and that
    /// about counts is below the picture.
    private func writeRemarks(to html: inout HTMLWriter) {
        let remarks = diagnostic.remarks.filter { $0 != .sampleCountInconsistent }
        guard !remarks.isEmpty else { return }
        html.element("ul", [.class("remarks note")]) { html in
            for remark in remarks { html.element("li", text: remark.words) }
        }
    }

    private func writeRegisters(to html: inout HTMLWriter) {
        guard let registers = AppleCrashRegisters(of: diagnostic) else { return }
        html.element("details", [.class("part"), .id("registers")]) { html in
            html.element("summary") { $0.element("b", text: "Registers") }
            html.element(
                "pre",
                [
                    .class("report"), HTMLAttribute("tabindex", "0"),
                    HTMLAttribute("role", "region"), HTMLAttribute("aria-label", "Registers"),
                ]
            ) { writeLines(of: registers.text, to: &$0) }
        }
    }

    private func writeNeighbours(to html: inout HTMLWriter, _ context: PageContext) {
        guard newer != nil || older != nil else { return }
        html.element(
            "nav", [.class("controls"), HTMLAttribute("aria-label", "Diagnostics of the group")]
        ) { html in
            writeNeighbour(newer, "prev", "‹ Newer", to: &html, context)
            if let position {
                html.element(
                    "span", [.class("note")],
                    text: "\(grouped(position.number)) of \(grouped(position.count))")
            }
            writeNeighbour(older, "next", "Older ›", to: &html, context)
        }
    }

    private func writeNeighbour(
        _ id: String?, _ relation: String, _ label: String, to html: inout HTMLWriter,
        _ context: PageContext
    ) {
        guard let id else { return }
        html.element(
            "a",
            [.class("button"), HTMLAttribute("rel", relation), .href(context.link("d", id))],
            text: label)
    }

    /// Writes a text line by line, so that a name can only change the direction of its own line.
    private func writeLines(of text: String, to html: inout HTMLWriter) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            html.element("bdi", text: shown(String(line)))
            html.text("\n")
        }
    }

    /// The function, app and version. It never contains a message of the program.
    private var tabTitle: String {
        let function = diagnostic.culprit ?? diagnostic.exceptionName ?? diagnostic.kind.words
        let app = diagnostic.details.appWithVersion
        return [function, app].compactMap(\.self).joined(separator: ", ")
    }

    /// The number of threads on one page.
    static let threadLimit = 200

    /// Writes the part of the threads that contains the chosen one.
    private func writeThreads(to html: inout HTMLWriter, _ context: PageContext) {
        let imageLinks = ImageLinks(to: diagnostic.images, in: context)
        let stacks = Array(diagnostic.shownStacks)
        let chosen = min(max(options.thread ?? 0, 0), max(stacks.count - 1, 0))
        let first = chosen - chosen % Self.threadLimit
        let part = stacks.indices.dropFirst(first).prefix(Self.threadLimit)
        if first > 0 {
            let earlier = first - Self.threadLimit
            writeThreads("\(counted(first, "thread")) before", from: earlier, to: &html, context)
        }
        for position in part {
            let stack = stacks[position]
            ThreadSection(
                diagnostic: diagnostic, stack: stack, position: position,
                isOpen: stack.isShownFirst || position == 0 || options.thread == position,
                imageLinks: imageLinks, options: options, links: links, here: link(context)
            ).write(to: &html)
        }
        let rest = stacks.count - part.endIndex
        guard rest > 0 else { return }
        writeThreads(counted(rest, "more thread"), from: part.endIndex, to: &html, context)
    }

    /// Writes a link to another part of the threads.
    private func writeThreads(
        _ text: String, from position: Int, to html: inout HTMLWriter, _ context: PageContext
    ) {
        var other = options
        (other.thread, other.firstRow) = (position, 0)
        html.element("a", [.class("more"), .href(link(context)(other))], text: text)
    }

    /// Returns the link to this page with other options.
    func link(_ context: PageContext) -> (DiagnosticViewOptions) -> LinkTarget {
        { options in
            var query = options.query + [("report", report.map { "\($0)" })]
            if let thread = options.thread, diagnostic.form == .threads {
                query += [("thread", "\(thread)"), ("from", "\(options.firstRow)")]
            }
            return LinkTarget(prefix: context.prefix, segments: segments, query: query)
        }
    }
}
