import FlameGraphs
import HTMLText

/// The differences between the functions of two flame graphs.
struct FlameChanges {
    let before: FlameGraph
    let after: FlameGraph

    /// The number of functions that are listed.
    private static let functionLimit = 50
    /// The smallest change of a share that is listed.
    private static let smallestChange = 0.001

    private struct Row {
        let function: FlameFunction
        var before = (own: 0.0, total: 0.0)
        var after = (own: 0.0, total: 0.0)

        var change: Double { after.own - before.own }
    }

    /// The changes of the shares of all calls, by the identifiers of their cells, which are the
    /// same in both pictures.
    var byCell: [CellID: Double] {
        var changes: [CellID: Double] = [:]
        for (id, node) in zip(after.cellIDs(), after.nodes) {
            changes[id, default: 0] += after.share(ofWeight: node.total)
        }
        for (id, node) in zip(before.cellIDs(), before.nodes) {
            changes[id, default: 0] -= before.share(ofWeight: node.total)
        }
        return changes
    }

    func write(to html: inout HTMLWriter) {
        html.element("h2", [.id("changes")], text: "What changed")
        let rows = rows
        guard !rows.isEmpty else {
            return html.element(
                "p", [.class("note")], text: "No function’s own share changed by 0.1 % or more.")
        }
        let columns = ["Change", "Own before", "Own after", "Total before", "Total after"]
        ListTable(name: "What changed", columns: columns + ["Function", "Image"])
            .write(to: &html) { html in
                for row in rows { write(row, to: &html) }
            }
    }

    private func write(_ row: Row, to html: inout HTMLWriter) {
        html.element("tr") { html in
            let sign = row.change > 0 ? "▲ +" : "▼ −"
            html.element("td", [.class("count")], text: sign + percent(abs(row.change)))
            for share in [row.before.own, row.after.own, row.before.total, row.after.total] {
                html.element("td", [.class("count")], text: percent(share))
            }
            html.function(row.function)
        }
    }

    /// The functions whose own share changed most.
    private var rows: [Row] {
        var rows: [FlameFunction: Row] = [:]
        for totals in after.functionTotals(limit: .max) {
            rows[totals.function, default: Row(function: totals.function)].after = (
                after.share(ofWeight: totals.own), after.share(ofWeight: totals.total)
            )
        }
        for totals in before.functionTotals(limit: .max) {
            rows[totals.function, default: Row(function: totals.function)].before = (
                before.share(ofWeight: totals.own), before.share(ofWeight: totals.total)
            )
        }
        let changed = rows.values.filter { abs($0.change) >= Self.smallestChange }
        return Array(
            changed.sorted { left, right in
                (abs(right.change), left.function.label) < (abs(left.change), right.function.label)
            }.prefix(Self.functionLimit))
    }
}
