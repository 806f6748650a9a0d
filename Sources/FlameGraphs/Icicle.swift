/// A flame graph laid out as a picture, with the outermost calls on top.
///
/// The number of cells is bounded: the cells of the heaviest stack come first, then the widest
/// ones. The omitted callees of a cell share one further cell, with their number and weight.
public struct Icicle: Sendable {
    public struct Options: Sendable {
        /// The node that fills the width of the picture, or `nil` for all stacks.
        public var zoom: FlameGraph.Index?
        /// Whether every system frame has a cell of its own.
        public var opensChains = false
        public var cellLimit = 1_000

        public init() {}
    }

    public struct Cell: Hashable, Sendable {
        public enum Content: Hashable, Sendable {
            case call(FlameGraph.Index)
            /// Three or more system frames of equal weight, each the only callee of the one before.
            case chain([FlameGraph.Index])
            /// Callees of a call that are not drawn, with everything that they call, or roots if
            /// there is no caller.
            case omitted(caller: FlameGraph.Index?, frameCount: Int, weight: UInt64)
        }

        public let content: Content
        /// Row 0 is on top.
        public let row: Int
        /// The left edge and the width, as fractions of the picture's width.
        public let start: Double
        public let width: Double
        /// Whether this is a caller of the node that the picture is zoomed to.
        public let isAncestor: Bool
    }

    /// The minimum number of system frames that are drawn as one cell.
    public static let chainLength = 3

    public let cells: [Cell]
    /// The number of rows that have cells.
    public let rowCount: Int

    public init(_ graph: FlameGraph, options: Options = Options()) {
        var layout = IcicleLayout(graph, options: options)
        layout.place()
        cells = layout.cells
        rowCount = (cells.map(\.row).max() ?? -1) + 1
    }
}

/// Places the cells of one picture.
private struct IcicleLayout {
    /// One cell for a call or a chain of calls.
    private struct Unit {
        var nodes: [FlameGraph.Index]

        var head: FlameGraph.Index { nodes[0] }
        var last: FlameGraph.Index { nodes[nodes.count - 1] }
        var content: Icicle.Cell.Content {
            nodes.count < Icicle.chainLength ? .call(head) : .chain(nodes)
        }
    }

    /// A cell that has not been placed yet.
    private struct Job {
        let unit: Unit
        let row: Int
        let start: Double
        let width: Double
    }

    private(set) var cells: [Icicle.Cell] = []
    private let graph: FlameGraph
    private let options: Icicle.Options
    private let selection: CellSelection
    private let base: UInt64

    init(_ graph: FlameGraph, options: Icicle.Options) {
        self.graph = graph
        self.options = options
        selection = CellSelection(graph, options: options)
        base = max(options.zoom.map { graph.nodes[$0].total } ?? graph.total, 1)
    }

    mutating func place() {
        var jobs: [Job] = []
        if let zoom = options.zoom {
            let ancestors = graph.path(to: zoom).dropLast()
            for (row, node) in ancestors.enumerated() {
                add(.call(node), row: row, start: 0, width: 1, isAncestor: true)
            }
            jobs = [Job(unit: unit(at: zoom), row: ancestors.count, start: 0, width: 1)]
        } else {
            jobs = place(graph.roots, of: nil, row: 0, start: 0, width: 1)
        }
        while let job = jobs.popLast() {
            add(job.unit.content, row: job.row, start: job.start, width: job.width)
            jobs += place(
                graph.callees(of: job.unit.last), of: job.unit.last, row: job.row + 1,
                start: job.start, width: job.width)
        }
    }

    /// Divides a caller's width among its callees, and adds the cell for those that are not drawn.
    private mutating func place(
        _ callees: ArraySlice<FlameGraph.Index>, of caller: FlameGraph.Index?, row: Int,
        start: Double, width: Double
    ) -> [Job] {
        var jobs: [Job] = []
        var left = start
        for callee in callees where selection.contains(callee) {
            // In a damaged report, callees may weigh more than their caller.
            let share = min(Double(graph.nodes[callee].total) / Double(base), start + width - left)
            jobs.append(Job(unit: unit(at: callee), row: row, start: left, width: share))
            left += share
        }
        let omitted = selection.omitted(of: callees)
        if omitted.frameCount > 0 {
            let share = min(Double(omitted.weight) / Double(base), start + width - left)
            add(
                .omitted(
                    caller: caller, frameCount: omitted.frameCount, weight: omitted.weight),
                row: row, start: left, width: share)
        }
        return jobs
    }

    private func unit(at node: FlameGraph.Index) -> Unit {
        Unit(nodes: selection.chain(from: node) ?? [node])
    }

    private mutating func add(
        _ content: Icicle.Cell.Content, row: Int, start: Double, width: Double,
        isAncestor: Bool = false
    ) {
        cells.append(
            Icicle.Cell(
                content: content, row: row, start: start, width: max(width, 0),
                isAncestor: isAncestor))
    }
}
