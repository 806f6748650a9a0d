import CallStacks
import FlameGraphs
import HTMLText
import StackRendering

/// The part of a page about where time is spent: the icicle, the heaviest stack and the heaviest
/// functions.
struct FlameSection {
    let graph: FlameGraph
    let options: FlameViewOptions
    /// The merged stacks, or `nil` for the stacks of one diagnostic.
    let merged: MergedStacks?
    /// The threads that can be chosen, or empty if there is no choice.
    let threads: [FlameControls.Thread]
    let amount: MeasuredAmount?
    let here: FlameLinks

    /// The maximum number of threads that can be chosen.
    private static let threadLimit = 200

    /// - Parameters:
    ///   - segments: The path of the page.
    ///   - query: The parameters of the page other than the options.
    init(
        diagnostic: SymbolicatedDiagnostic, options: FlameViewOptions, context: PageContext,
        segments: [String], query: [(name: String, value: String?)]
    ) {
        var builder = FlameGraphBuilder(options: options.builderOptions)
        if let thread = options.thread, diagnostic.stacks.indices.contains(thread) {
            builder.add(diagnostic.stacks[thread], of: diagnostic)
        } else {
            builder.add(diagnostic)
        }
        graph = builder.graph()
        threads =
            diagnostic.stacks.count > 1
            ? diagnostic.stacks.enumerated().compactMap { position, stack in
                guard position < Self.threadLimit || position == options.thread else { return nil }
                return FlameControls.Thread(stack, at: position, of: diagnostic.kind)
            } : []
        amount = diagnostic.details.measurement.flatMap(MeasuredAmount.init)
        self.options = options
        merged = nil
        here = FlameLinks(prefix: context.prefix, segments: segments, query: query)
    }

    init(
        _ merged: MergedStacks, options: FlameViewOptions, context: PageContext,
        segments: [String], query: [(name: String, value: String?)]
    ) {
        graph = merged.graph
        self.options = options
        self.merged = merged
        threads = []
        amount = nil
        here = FlameLinks(prefix: context.prefix, segments: segments, query: query)
    }

    func write(to html: inout HTMLWriter) {
        if let merged {
            html.element("p", [.class("note")], text: "Merged: \(merged.words).")
        }
        guard !graph.nodes.isEmpty else {
            let what = merged == nil ? "The report has no samples." : "There are no samples."
            return html.element("p", [.class("note")], text: what)
        }
        FlameControls(
            graphs: [graph], options: options, isMerged: merged != nil, threads: threads, here: here
        ).write(to: &html)
        IciclePicture(graph: graph, options: options, here: here).write(to: &html)
        if merged != nil { writeDownloads(to: &html) }
        if graph.isInconsistent {
            html.element("p", [.class("note")], text: Remark.sampleCountInconsistent.words)
        }
        FlameTables(graph: graph, unit: options.unit, amount: amount).write(to: &html)
    }

    /// Writes links to the graph as a file, in the formats of other tools.
    private func writeDownloads(to html: inout HTMLWriter) {
        html.element("p", [.class("controls")]) { html in
            html.element("span", [.class("note")], text: "Download")
            for (name, format) in [
                ("Collapsed stacks", "collapsed"), ("Speedscope", "speedscope"), ("JSON", "json"),
            ] {
                let query: [(name: String, value: String?)] = [
                    ("by", options.weighting.rawValue), ("download", format),
                ]
                let target = LinkTarget(
                    prefix: here.prefix, segments: here.segments, query: here.query + query)
                html.element("a", [.class("button"), .href(target)], text: name)
            }
        }
    }
}

/// The page that shows an icicle. Links to other views of the icicle are derived from it.
struct FlameLinks {
    let prefix: String
    let segments: [String]
    /// The parameters other than those of the view.
    let query: [(name: String, value: String?)]

    func callAsFunction(_ options: FlameViewOptions) -> LinkTarget {
        LinkTarget(prefix: prefix, segments: segments, query: query + options.query)
    }
}

/// `62.3 %`
func percent(_ share: Double) -> String {
    let tenths = Int((share * 1_000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
}
