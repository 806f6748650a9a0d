import CallStacks
import FlameGraphs
import Ingest
import JSONText
import StackRendering

/// A merged flame graph, or the comparison of two, as JSON with distinct functions and nodes that
/// refer to them.
struct FlameJSON {
    /// The maximum number of nodes per version in a comparison. The weight of omitted lighter ones
    /// is attributed to their callers.
    static let comparedNodeLimit = 5_000

    private let subject: FlameQuery.Subject
    private let weighting: FlameGraphBuilder.Weighting

    init(_ subject: FlameQuery.Subject, _ weighting: FlameGraphBuilder.Weighting) {
        self.subject = subject
        self.weighting = weighting
    }

    func bytes(of flame: MergedFlames.Flame) -> [UInt8] {
        let graph = flame.outline
        return document(of: flame, functions: graph.functions) { writer in
            writer.member("total", flame.graph.total)
        } nodes: { writer in
            for node in graph.nodes {
                write(node.function, parent: node.parent, location: node.location, to: &writer) {
                    writer in
                    writer.member("total", node.total)
                    writer.member("own", node.own)
                }
            }
        }
    }

    func bytes(
        of flame: MergedFlames.Flame, against before: MergedFlames.Flame
    ) -> [UInt8] {
        let comparison = FlameComparison(
            of: flame.outline.pruned(to: Self.comparedNodeLimit),
            with: before.outline.pruned(to: Self.comparedNodeLimit))
        return document(of: flame, functions: comparison.functions) { writer in
            writer.member("diagnostics_before", UInt64(before.mergedCount))
            writer.member("of_before", UInt64(before.diagnosticCount))
            writer.member("total", comparison.total.after)
            writer.member("total_before", comparison.total.before)
        } nodes: { writer in
            for node in comparison.nodes {
                write(node.function, parent: node.parent, location: node.location, to: &writer) {
                    writer in
                    writer.member("total", node.after)
                    writer.member("total_before", node.before)
                }
            }
        }
    }

    /// Returns a document with the description of `flame`, then totals, functions and nodes.
    private func document(
        of flame: MergedFlames.Flame, functions: [FlameFunction],
        totals: (inout JSONWriter) -> Void, nodes: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeHead(flame, to: &writer)
        totals(&writer)
        write(functions, to: &writer)
        writer.key("nodes")
        writer.beginArray()
        nodes(&writer)
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private func writeHead(_ flame: MergedFlames.Flame, to writer: inout JSONWriter) {
        switch subject {
        case .version(let version, let app, let kind):
            writer.member("app", app)
            writer.member("version", version)
            writer.member("kind", kind.rawValue)
        case .group(let fingerprint, let app):
            writer.member("fingerprint", fingerprint)
            if let app { writer.member("app", app) }
        }
        writer.member("by", weighting.rawValue)
        writer.member("diagnostics", UInt64(flame.mergedCount))
        writer.member("of", UInt64(flame.diagnosticCount))
    }

    private func write(_ functions: [FlameFunction], to writer: inout JSONWriter) {
        writer.key("functions")
        writer.beginArray()
        for function in functions {
            writer.beginObject()
            writer.member("name", function.label)
            if let image = function.image { writer.member("image", image) }
            writer.key("in_app")
            writer.bool(function.isInApp)
            writer.key("inlined")
            writer.bool(function.isInlined)
            writer.key("raw")
            writer.bool(function.isRaw)
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(
        _ function: Int, parent: Int?, location: FlameGraph.SourceLocation?,
        to writer: inout JSONWriter, weights: (inout JSONWriter) -> Void
    ) {
        writer.beginObject()
        writer.member("function", UInt64(function))
        if let parent { writer.member("parent", UInt64(parent)) }
        weights(&writer)
        if let location {
            writer.member("file", location.file.name)
            if location.line > 0 { writer.member("line", UInt64(location.line)) }
        }
        writer.endObject()
    }
}
