import CallStacks
import FlameGraphs
import HTMLText
import StackRendering

/// An icicle as SVG, in which every cell is a link that zooms to it.
///
/// Positions are percentages in attributes: the picture scales without a script, and the security
/// policy of the pages forbids inline styles.
struct IciclePicture {
    let graph: FlameGraph
    let options: FlameViewOptions
    let here: FlameLinks
    /// The name of the picture for screen readers.
    var name = "Icicle"
    /// The differences of the cells' shares from those in another picture.
    var changes: [CellID: Double] = [:]
    /// The identifier of the element to which the skip link leads.
    var end = "heaviest"
    private let ids: [CellID]
    private let zoom: FlameGraph.Index?

    init(graph: FlameGraph, options: FlameViewOptions, here: FlameLinks) {
        self.graph = graph
        self.options = options
        self.here = here
        let ids = graph.cellIDs()
        self.ids = ids
        zoom = options.zoom.flatMap { ids.firstIndex(of: $0) }
    }

    /// The smallest change of a share that is marked.
    private static let markedChange = 0.01
    /// The height of a row in pixels. Links less than 24 pixels high are hard to hit.
    private static let rowHeight = 24
    /// The share of the width below which a cell has no label.
    private static let labelShare = 0.012
    /// The share of the width below which the Tab key skips a cell. It is 24 pixels on a narrow
    /// screen.
    private static let targetShare = 0.07

    func write(to html: inout HTMLWriter) {
        if options.zoom != nil, zoom == nil {
            html.element(
                "p", [.class("note")],
                text: "The function that the link zooms to is not in this picture.")
        }
        var layout = Icicle.Options()
        layout.zoom = zoom
        layout.opensChains = options.opensChains
        let icicle = Icicle(graph, options: layout)
        let hits = IcicleHits(of: options.search, in: icicle, of: graph)
        html.element(
            "a", [.class("skip"), .href(LinkTarget(fragment: end))], text: "Skip the picture"
        )
        html.element(
            "svg",
            [
                .class("icicle"), HTMLAttribute("width", "100%"),
                HTMLAttribute("height", "\(icicle.rowCount * Self.rowHeight)"),
                HTMLAttribute("role", "group"), HTMLAttribute("aria-label", name),
            ]
        ) { html in
            for cell in icicle.cells { write(cell, hits, to: &html) }
        }
    }

    private func write(
        _ cell: Icicle.Cell, _ hits: IcicleHits, to html: inout HTMLWriter
    ) {
        let text = text(of: cell)
        // A narrow cell is too small a target, and the tables below the picture contain its
        // function.
        let isNarrow = cell.width < Self.targetShare
        html.element(
            "a", [.href(link(of: cell)), HTMLAttribute("tabindex", isNarrow ? "-1" : nil)]
        ) { html in
            html.element("svg", geometry(of: cell)) { html in
                html.element("title", text: text.title)
                html.shape(
                    "rect",
                    [
                        .class("cell", style(of: cell), hits.contain(cell) ? "found" : nil),
                        HTMLAttribute("width", "100%"), HTMLAttribute("height", "100%"),
                    ])
                guard cell.width >= Self.labelShare else { return }
                html.element(
                    "text", [HTMLAttribute("x", "4"), HTMLAttribute("y", "16")], text: text.label)
            }
        }
    }

    private func geometry(of cell: Icicle.Cell) -> [HTMLAttribute] {
        [
            HTMLAttribute("x", shareAttribute(cell.start)),
            HTMLAttribute("y", "\(cell.row * Self.rowHeight)"),
            HTMLAttribute("width", shareAttribute(cell.width)),
            HTMLAttribute("height", "\(Self.rowHeight - 1)"),
        ]
    }

    private func link(of cell: Icicle.Cell) -> LinkTarget {
        var other = options
        switch cell.content {
        case .call(let node): other.zoom = ids[node]
        case .chain: other.opensChains = true
        case .omitted(let caller, _, _): other.zoom = caller.map { ids[$0] }
        }
        return here(other)
    }

    private func style(of cell: Icicle.Cell) -> String {
        switch cell.content {
        case .omitted: return "omitted"
        case .chain(let nodes):
            return change(of: nodes[0]).map { $0 > 0 ? "more" : "less" } ?? "sys chain"
        case .call(let node):
            if let change = change(of: node) { return change > 0 ? "more" : "less" }
            let function = graph.function(of: node)
            if function.isRaw { return "raw" }
            guard function.isInApp else { return "sys" }
            return function.isInlined ? "app-inlined" : "app"
        }
    }

    private func text(of cell: Icicle.Cell) -> (label: String, title: String) {
        switch cell.content {
        case .call(let node): return text(of: node)
        case .chain(let nodes):
            var images: [String] = []
            for node in nodes {
                let image = graph.function(of: node).image ?? "???"
                if !images.contains(image) { images.append(image) }
            }
            let label = "\(nodes.count) system frames: \(plain(images.joined(separator: ", ")))"
            let mark = changeText(of: nodes[0])
            let title = [label, weight(of: nodes[0]), mark].compactMap(\.self)
            return (mark.map { "\($0) \(label)" } ?? label, title.joined(separator: ", "))
        case .omitted(_, let count, let weight):
            let label = "\(count) more, \(percent(graph.share(ofWeight: weight)))"
            return (label, "\(label): show them")
        }
    }

    private func text(of node: FlameGraph.Index) -> (label: String, title: String) {
        let function = graph.function(of: node)
        let label = plain(function.label)
        var parts = [label]
        if !function.isRaw, let image = function.image { parts.append(plain(image)) }
        if let location = graph.nodes[node].location {
            parts.append(
                plain(
                    location.line > 0
                        ? "\(location.file.name):\(location.line)" : location.file.name))
        }
        parts.append(weight(of: node))
        var marks = function.isInlined ? "⤷ " : ""
        if let text = changeText(of: node) {
            marks += "\(text) "
            parts.append(text)
        }
        return (marks + label, parts.joined(separator: ", "))
    }

    /// Returns `▲ +3.1 %`, or `nil` if the change is not marked.
    private func changeText(of node: FlameGraph.Index) -> String? {
        change(of: node).map { ($0 > 0 ? "▲ +" : "▼ −") + percent(abs($0)) }
    }

    /// Returns the change of a node's share, if it is large enough to be marked.
    private func change(of node: FlameGraph.Index) -> Double? {
        changes[ids[node]].flatMap { abs($0) < Self.markedChange ? nil : $0 }
    }

    /// `25 samples, 62.5 %, own 3`, or `62.5 %` for a picture by devices, in which a device is a
    /// unit of weight.
    private func weight(of node: FlameGraph.Index) -> String {
        let share = percent(graph.share(of: node))
        guard options.weighting == .samples else { return "\(share) of devices" }
        let weights = graph.nodes[node]
        return "\(counted(weights.total, "sample")), \(share), own \(weights.own)"
    }
}
