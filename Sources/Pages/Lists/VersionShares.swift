import HTMLText
import StackRendering

/// The versions of a group, with their shares of its diagnostics.
struct VersionShares {
    let page: GroupPage

    /// The number of versions that are listed.
    private static let versionLimit = 20

    func write(to html: inout HTMLWriter) {
        let versions = page.versions
        guard !versions.isEmpty else { return }
        html.element("h2", text: "Versions")
        let columns = ["Version", "Share", "Count", "Frames with function", "First", "Last"]
        ListTable(name: "Versions", columns: columns).write(to: &html) { html in
            for version in versions.prefix(Self.versionLimit) { write(version, to: &html) }
        }
        let rest = versions.count - Self.versionLimit
        guard rest > 0 else { return }
        html.element("p", [.class("note")], text: "and \(counted(rest, "older version"))")
    }

    private func write(_ version: GroupPage.Version, to html: inout HTMLWriter) {
        let share = Double(version.count) / Double(max(page.group.count, 1))
        html.element("tr") { html in
            html.cell(version.version ?? "unknown")
            html.element("td", [.class("bar-cell")]) { html in
                html.meter(share, style: "sparkline")
                html.text(" \(percent(min(share, 1)))")
            }
            html.count(version.count)
            html.element(
                "td", [.class("count")], text: "\(version.resolvedFrames) of \(version.frames)")
            html.element("td") { TimeText(time: version.firstSeen, now: page.now).write(to: &$0) }
            html.element("td") { TimeText(time: version.lastSeen, now: page.now).write(to: &$0) }
        }
    }
}
