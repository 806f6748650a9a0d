public import FlameGraphs

/// What a person chose to see of an icicle. The URL holds every choice that is not the default.
public struct FlameViewOptions: Hashable, Sendable {
    public var grouping = FlameGraphBuilder.Grouping.function
    /// What the stacks of many diagnostics are weighted by.
    public var weighting = FlameGraphBuilder.Weighting.samples
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

    /// The choices as query parameters. Defaults are left out.
    var query: [(name: String, value: String?)] {
        [
            // A picture of many diagnostics is always by function, and one of a single diagnostic by samples.
            (
                "by",
                weighting == .samples
                    ? grouping == .function ? nil : grouping.rawValue : weighting.rawValue
            ),
            ("chains", opensChains ? "open" : nil),
            ("system", showsSystemFrames ? nil : "hidden"),
            ("recursion", mergesRecursion ? "merged" : nil),
            ("at", zoom?.description),
            ("q", search.isEmpty ? nil : search),
        ]
    }
}
