import CallStacks
import FlameGraphs
import HTMLText
import StackRendering

/// The search field and the options above an icicle, or above two icicles that are compared.
struct FlameControls {
    let graphs: [FlameGraph]
    let options: FlameViewOptions
    /// Whether many diagnostics are merged. Their stacks are stored by function.
    let isMerged: Bool
    /// The threads that can be chosen, or empty if there is no choice.
    var threads: [Thread] = []
    let here: FlameLinks

    /// A thread that a picture can be limited to.
    struct Thread {
        let position: Int
        let name: String

        init(_ stack: CallStack, at position: Int, of kind: DiagnosticKind) {
            self.position = position
            name = [stack.heading(in: kind), stack.name].compactMap(\.self).joined(separator: " ")
        }
    }

    func write(to html: inout HTMLWriter) {
        let whole = LinkTarget(prefix: here.prefix, segments: here.segments)
        html.element("form", [.class("controls"), .action(whole)]) { html in
            // Submitting a form replaces the query of the URL.
            for (name, value) in here.query + options.query where name != "q" && name != "thread" {
                guard let value else { continue }
                html.void("input", [.type("hidden"), .name(name), .value(value)])
            }
            html.element("label") { html in
                html.text("Find ")
                html.void("input", [.type("search"), .name("q"), .value(options.search)])
            }
            writeThreads(to: &html)
            html.element("button", text: threads.isEmpty ? "Find" : "Show")
            for link in links { write(link, to: &html) }
            guard options.zoom != nil else { return }
            write(("Reset zoom", { $0.zoom = nil }), key: "0", to: &html)
        }
        writeFound(to: &html)
    }

    private func writeThreads(to html: inout HTMLWriter) {
        guard !threads.isEmpty else { return }
        html.element("label") { html in
            html.text("Thread ")
            html.element("select", [.name("thread")]) { html in
                html.element("option", [.value("")], text: "all")
                for thread in threads {
                    html.element(
                        "option",
                        [
                            .value("\(thread.position)"),
                            HTMLAttribute("selected", isSet: thread.position == options.thread),
                        ], text: plain(thread.name))
                }
            }
        }
    }

    private typealias Link = (label: String, change: (inout FlameViewOptions) -> Void)

    private var links: [Link] {
        let chains: Link = (
            options.opensChains ? "Fold system frames" : "Open system frames",
            { $0.opensChains.toggle() }
        )
        guard !isMerged else {
            let bySamples = options.weighting == .samples
            return [
                (
                    bySamples ? "By devices" : "By samples",
                    { $0.weighting = bySamples ? .devices : .samples }
                ), chains,
            ]
        }
        let byFunction = options.grouping == .function
        return [
            (
                byFunction ? "By line" : "By function",
                { $0.grouping = byFunction ? .line : .function }
            ),
            chains,
            (
                options.showsSystemFrames ? "Hide system frames" : "Show system frames",
                { $0.showsSystemFrames.toggle() }
            ),
            (
                options.mergesRecursion ? "Show recursion" : "Merge recursion",
                { $0.mergesRecursion.toggle() }
            ),
        ]
    }

    private func write(_ link: Link, key: String? = nil, to html: inout HTMLWriter) {
        var other = options
        link.change(&other)
        // With other options, nodes have other identifiers, except in pictures of merged stacks.
        if !isMerged { other.zoom = nil }
        html.element(
            "a", [.class("button"), .href(here(other)), HTMLAttribute("data-key", key)],
            text: link.label)
    }

    private func writeFound(to html: inout HTMLWriter) {
        guard !options.search.isEmpty else { return }
        let texts = graphs.map { graph in
            let found = graph.search(options.search)
            return "\(counted(found.nodes.count, "frame")), "
                + "\(percent(graph.share(ofWeight: found.weight))) of \(options.unit)s"
        }
        html.element("p", [.class("note")], text: texts.joined(separator: " → "))
    }
}

extension FlameViewOptions {
    /// The unit of weights: `sample` or `device`.
    var unit: String {
        switch weighting {
        case .samples: "sample"
        case .devices: "device"
        }
    }
}
