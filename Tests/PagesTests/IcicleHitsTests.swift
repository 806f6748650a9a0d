import FlameGraphs
import Testing

@testable import Pages

@Suite("The cells of an icicle that a search marks")
struct IcicleHitsTests {
    private let graph: FlameGraph = {
        var builder = FlameGraphBuilder()
        builder.add(Example.hang)
        return builder.graph()
    }()

    private func marked(_ text: String, cellLimit: Int = 1_000) -> [Icicle.Cell.Content] {
        var options = Icicle.Options()
        options.cellLimit = cellLimit
        let icicle = Icicle(graph, options: options)
        let hits = IcicleHits(of: text, in: icicle, of: graph)
        return icicle.cells.filter(hits.contain).map(\.content)
    }

    private func node(_ label: String) throws -> FlameGraph.Index {
        try #require(graph.nodes.indices.first { graph.function(of: $0).label == label })
    }

    @Test("a found call is marked, also within folded system frames")
    func drawn() throws {
        #expect(marked("") == [])
        #expect(marked("nothing") == [])
        #expect(marked("HASHROW") == [.call(try node("hashRow(_:)"))])
        guard case .chain(let nodes) = try #require(marked("UIKitCore").first) else {
            Issue.record("not a chain")
            return
        }
        #expect(nodes.count == 3)
    }

    @Test("a cell for calls that are not drawn is marked if the search found one of them")
    func omitted() throws {
        let callers = marked("store", cellLimit: 5).compactMap { content -> FlameGraph.Index? in
            guard case .omitted(let caller, _, _) = content else { return nil }
            return caller
        }
        #expect(callers == [try node("rebuildIndex(rows:)")])
        #expect(marked("hashRow", cellLimit: 5) == [.call(try node("hashRow(_:)"))])
    }
}
