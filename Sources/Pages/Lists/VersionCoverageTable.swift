import HTMLText
import StackRendering

/// The number of frames with a function in the diagnostics of a version.
public struct VersionCoverageRow: Hashable, Sendable {
    /// The app, or `nil` if the diagnostics do not name it.
    public var app: String?
    public var version: String?
    public var diagnostics: Int
    public var frames: Int
    public var resolvedFrames: Int

    public init(
        app: String?, version: String?, diagnostics: Int, frames: Int, resolvedFrames: Int
    ) {
        self.app = app
        self.version = version
        self.diagnostics = diagnostics
        self.frames = frames
        self.resolvedFrames = resolvedFrames
    }

    var readable: Double { frames == 0 ? 0 : Double(resolvedFrames) / Double(frames) }
}

/// The newest versions with diagnostics, with links to their groups and flame graphs.
struct VersionCoverageTable {
    let rows: [VersionCoverageRow]

    func write(to html: inout HTMLWriter, _ context: PageContext) {
        guard !rows.isEmpty else { return }
        html.element("h2", text: "Diagnostics by version")
        let columns = ["App", "Version", "Diagnostics", "Frames with function", "Flame graph"]
        ListTable(name: "Diagnostics by version", columns: columns).write(to: &html) { html in
            for (row, earlier) in zip(rows, earlierRows) {
                let pair = earlier?.app == row.app ? earlier : nil
                write(row, after: pair, to: &html, context)
            }
        }
    }

    /// For each row, the row below it, or `nil` for the last row.
    private var earlierRows: [VersionCoverageRow?] {
        rows.dropFirst().map { $0 } + [nil]
    }

    private func write(
        _ row: VersionCoverageRow, after earlier: VersionCoverageRow?, to html: inout HTMLWriter,
        _ context: PageContext
    ) {
        html.element("tr") { html in
            html.appCell(row.app ?? "unknown", isFiltered: row.app == nil) {
                context.link("versions", query: [("app", $0)])
            }
            html.element("td") { html in
                let target = context.link(query: [("app", row.app), ("version", row.version)])
                guard row.app != nil, let version = row.version else {
                    return html.name(row.version ?? "unknown")
                }
                html.element("a", [.href(target)]) { $0.name(version) }
            }
            html.count(row.diagnostics)
            html.element("td", [.class("count")], text: percent(row.readable))
            html.element("td", [.class("links")]) {
                writeFlames(of: row, after: earlier, to: &$0, context)
            }
        }
    }

    private func writeFlames(
        of row: VersionCoverageRow, after earlier: VersionCoverageRow?, to html: inout HTMLWriter,
        _ context: PageContext
    ) {
        guard let app = row.app, let version = row.version else { return }
        let query: [(name: String, value: String?)] = [
            ("app", app), ("version", version), ("kind", "hang"),
        ]
        html.element("a", [.href(context.link("flame", query: query))], text: "Hangs")
        guard let before = earlier?.version else { return }
        html.text(", ")
        let compared = context.link("flame", query: query + [("against", before)])
        html.element("a", [.href(compared)]) { html in
            html.text("compared with ")
            html.name(before)
        }
    }
}
