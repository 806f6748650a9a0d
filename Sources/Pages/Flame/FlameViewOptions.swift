public import FlameGraphs

/// The user's options for an icicle. The URL contains every option that is not the default.
public struct FlameViewOptions: Hashable, Sendable {
    public var grouping = FlameGraphBuilder.Grouping.function
    /// The weight of the stacks of many diagnostics.
    public var weighting = FlameGraphBuilder.Weighting.samples
    /// The position of the only thread that is included, or `nil` for all threads of a diagnostic.
    public var thread: Int?
    public var opensChains = false
    public var showsSystemFrames = true
    public var mergesRecursion = false
    /// The node that fills the picture.
    public var zoom: CellID?
    public var search = ""

    public init() {}

    var builderOptions: FlameGraphBuilder.Options {
        var options = FlameGraphBuilder.Options()
        options.grouping = grouping
        options.showsSystemFrames = showsSystemFrames
        options.mergesRecursion = mergesRecursion
        return options
    }

    /// The options as query parameters. Defaults are omitted.
    var query: [(name: String, value: String?)] {
        [
            // A picture of many diagnostics always merges by function, and a picture of a single
            // diagnostic always counts samples.
            (
                "by",
                weighting == .samples
                    ? grouping == .function ? nil : grouping.rawValue : weighting.rawValue
            ),
            ("thread", thread.map { "\($0)" }),
            ("chains", opensChains ? "open" : nil),
            ("system", showsSystemFrames ? nil : "hidden"),
            ("recursion", mergesRecursion ? "merged" : nil),
            ("at", zoom?.description),
            ("q", search.isEmpty ? nil : search),
        ]
    }
}
