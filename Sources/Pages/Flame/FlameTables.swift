import FlameGraphs
import HTMLText
import StackRendering

/// The heaviest stack and the heaviest functions as tables, which need no picture.
struct FlameTables {
    /// The number of functions that are listed.
    static let functionLimit = 100
    /// The maximum number of calls of the heaviest stack.
    private static let stackLimit = 500

    let graph: FlameGraph
    /// The unit of weights: `sample` or `device`.
    let unit: String
    /// The amount that calls have shares in, or `nil` if it is unknown.
    var amount: MeasuredAmount?

    func write(to html: inout HTMLWriter) {
        html.element("h2", [.id("heaviest")], text: "Heaviest stack")
        let weights =
            ["Share"] + [amount?.name].compactMap(\.self)
            + (unit == "sample" ? ["Samples", "Own"] : ["Own"])
        ListTable(
            name: "Heaviest stack", columns: weights + ["Function", "Image"]
        ).write(to: &html) { html in
            for node in graph.heaviestStack.prefix(Self.stackLimit) {
                writeRow(of: node, to: &html)
            }
        }
        let rest = graph.heaviestStack.count - Self.stackLimit
        if rest > 0 { html.element("p", [.class("note")], text: counted(rest, "more call")) }
        html.element("details", [.class("part")]) { html in
            html.element("summary") { $0.element("b", text: "Functions") }
            ListTable(name: "Functions", columns: ["Own", "Total", "Function", "Image"])
                .write(to: &html) { html in
                    for totals in graph.functionTotals(limit: Self.functionLimit) {
                        write(totals, to: &html)
                    }
                }
        }
    }

    private func writeRow(of node: FlameGraph.Index, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element("td", [.class("count")], text: percent(graph.share(of: node)))
            if let amount {
                html.element(
                    "td", [.class("count")], text: amount.text(ofShare: graph.share(of: node)))
            }
            if unit == "sample" {
                html.count(graph.nodes[node].total)
                html.count(graph.nodes[node].own)
            } else {
                let own = graph.share(ofWeight: graph.nodes[node].own)
                html.element("td", [.class("count")], text: percent(own))
            }
            html.function(graph.function(of: node))
        }
    }

    private func write(_ totals: FunctionTotals, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element(
                "td", [.class("count")], text: percent(graph.share(ofWeight: totals.own)))
            html.element(
                "td", [.class("count")], text: percent(graph.share(ofWeight: totals.total)))
            html.function(totals.function)
        }
    }
}

extension HTMLWriter {
    /// Writes the cells of a function: its name and its image.
    mutating func function(_ function: FlameFunction) {
        element("td") { html in
            if function.isInlined { html.element("span", [.class("note")], text: "inlined ") }
            let (name, offset) = function.labelParts
            html.name(name, [.class(function.isInApp ? "name" : nil)])
            html.text(offset)
        }
        cell(function.image ?? "")
    }
}
