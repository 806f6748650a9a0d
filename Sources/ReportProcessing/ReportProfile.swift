import CallStacks
import FlameGraphs
import StackRendering

/// The sampled stacks of a report as a profile for other tools.
struct ReportProfile {
    private let title: String
    private let threads: [SpeedscopeProfile.Thread]

    /// - Throws: `RenderingRefusal.withoutSamples` if the stacks were not sampled.
    init(
        of diagnostic: SymbolicatedDiagnostic, grouping: FlameGraphBuilder.Grouping
    ) throws(RenderingRefusal) {
        guard diagnostic.form == .sampled else { throw .withoutSamples }
        title = diagnostic.title
        var options = FlameGraphBuilder.Options()
        options.grouping = grouping
        threads = diagnostic.stacks.map { stack in
            var builder = FlameGraphBuilder(options: options)
            builder.add(stack, of: diagnostic)
            return SpeedscopeProfile.Thread(
                name: stack.name ?? "Thread \(stack.index)", graph: builder.graph())
        }
    }

    var collapsed: [UInt8] {
        var stacks = CollapsedStacks()
        for thread in threads { stacks.add(thread.graph, thread: thread.name) }
        return stacks.bytes
    }

    var speedscope: SpeedscopeProfile {
        SpeedscopeProfile(name: title, threads: threads, exporter: "symbolist")
    }
}
