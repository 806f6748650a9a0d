public import FlameGraphs
import StackRendering

/// The stacks of many diagnostics, merged into one graph.
public struct MergedStacks: Sendable {
    public var graph: FlameGraph
    /// The number of merged diagnostics.
    public var mergedCount: Int
    /// The number of stored diagnostics, merged or not.
    public var diagnosticCount: Int

    public init(graph: FlameGraph, mergedCount: Int, diagnosticCount: Int) {
        self.graph = graph
        self.mergedCount = mergedCount
        self.diagnosticCount = diagnosticCount
    }

    /// `12 diagnostics`, or `the newest 10,000 of 12,345 diagnostics`
    var words: String {
        guard mergedCount < diagnosticCount else { return counted(mergedCount, "diagnostic") }
        return "the newest \(grouped(mergedCount)) of \(grouped(diagnosticCount)) diagnostics"
    }
}
