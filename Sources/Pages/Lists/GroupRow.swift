public import CallStacks
import HTMLText
import StackRendering

/// A group of diagnostics with one fingerprint, as lists show it.
public struct GroupRow: Hashable, Sendable {
    /// How a group changed with the newest version of the app.
    public enum Trend: String, Hashable, Sendable {
        /// Only the newest version has it.
        case new
        /// The group reappeared after a version without it.
        case back
    }

    public var app: String?
    public var fingerprint: String
    public var title: String
    /// The function that probably caused it, or the exception's name, or `nil` if neither is known.
    public var culprit: String?
    public var kind: DiagnosticKind
    /// The versions, newest first.
    public var versions: [String] = []
    public var count: Int
    public var lastSeen: UnixTime
    /// The daily counts of the last 30 days, oldest first.
    public var days: [Int] = []
    public var trend: Trend?
    /// Whether no frame of the app has a function, so that the group may contain unrelated crashes.
    public var isRaw = false

    public init(
        app: String?, fingerprint: String, title: String, kind: DiagnosticKind, count: Int,
        lastSeen: UnixTime
    ) {
        self.app = app
        self.fingerprint = fingerprint
        self.title = title
        self.kind = kind
        self.count = count
        self.lastSeen = lastSeen
    }

    /// The number of versions that are named in a list.
    private static let versionLimit = 4

    /// Writes a list of groups.
    ///
    /// - Parameter showsApps: Whether to name the app of each group.
    static func write(
        _ rows: [Self], name: String, showsApps: Bool, to html: inout HTMLWriter, now: UnixTime,
        _ context: PageContext
    ) {
        let app = showsApps ? ["App"] : []
        let columns = ["What", "Count", "Last"] + app + ["30 days", "Versions"]
        ListTable(name: name, columns: columns).write(to: &html) { html in
            for row in rows { row.write(to: &html, showsApp: showsApps, now: now, context) }
        }
    }

    private func write(
        to html: inout HTMLWriter, showsApp: Bool, now: UnixTime, _ context: PageContext
    ) {
        html.element("tr") { html in
            html.element("td") { html in
                let target = context.link("g", fingerprint, query: [("app", app)])
                html.element("a", [.href(target)]) { $0.name(title) }
                if let trend {
                    html.text(" ")
                    html.element("strong", [.class("badge warn")], text: trend.rawValue)
                }
            }
            html.count(count)
            html.element("td") { TimeText(time: lastSeen, now: now).write(to: &$0) }
            if showsApp { html.cell(app ?? "unknown") }
            html.element("td") { Sparkline(counts: days).write(to: &$0) }
            html.cell(versionText)
        }
    }

    /// `1.4.0, 1.3.2, 5 more`
    private var versionText: String {
        var shown = Array(versions.prefix(Self.versionLimit))
        let rest = versions.count - shown.count
        if rest > 0 { shown.append("\(rest) more") }
        return shown.joined(separator: ", ")
    }
}
