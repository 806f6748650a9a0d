import CallStacks
import JSONText
import TestSupport
import Testing

@testable import FlameGraphs

@Suite("Profiles for other tools")
struct ProfileTests {
    private func graph(_ diagnostic: SymbolicatedDiagnostic) -> FlameGraph {
        var builder = FlameGraphBuilder()
        builder.add(diagnostic)
        return builder.graph()
    }

    private func text(_ stacks: CollapsedStacks) -> String {
        String(decoding: stacks.bytes, as: UTF8.self)
    }

    @Test("collapsed stacks have a line for every stack with own samples")
    func collapsed() {
        var stacks = CollapsedStacks()
        stacks.add(
            graph(.sampled([Call("main", 10, [Call("a;b\nc", 4), Call("work", 6)])])),
            thread: "Thread 0")
        #expect(text(stacks) == "Thread 0;main;work 6\nThread 0;main;a:b c 4\n")
    }

    @Test("their weights sum to that of the graph", arguments: 1...20 as ClosedRange<UInt64>)
    func sums(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let graph = graph(.random(using: &numbers))
        for byteLimit in [0, 100, CollapsedStacks.byteLimit] {
            var stacks = CollapsedStacks(byteLimit: byteLimit)
            stacks.add(graph, thread: nil)
            let weights = text(stacks).split(separator: "\n").map {
                $0.split(separator: " ").last.flatMap { UInt64($0) } ?? 0
            }
            #expect(weights.reduce(0, +) == graph.total)
        }
    }

    @Test("a stack beyond the limit loses frames in its middle")
    func deepStack() {
        let names = (0...DeepStack.frameLimit).map { "f\($0)" }
        var stacks = CollapsedStacks()
        stacks.add(graph(.crash(names)), thread: nil)
        let frames = text(stacks).split(separator: ";")
        #expect(frames.count == DeepStack.frameLimit + 1)
        #expect(frames.dropFirst(DeepStack.frameLimit / 2).first == "(frames omitted)")
        #expect(frames.first == "f\(DeepStack.frameLimit)")
        #expect(frames.last == "f0 1\n")
    }

    @Test("a speedscope profile has every stack with its own weight")
    func speedscope() throws {
        let graph = graph(.sampled([Call("main", 10, [Call("work", 6)])]))
        let profile = SpeedscopeProfile(
            name: "Hang", threads: [.init(name: "Thread 0", graph: graph)], exporter: "symbolist")
        #expect(
            String(decoding: profile.bytes, as: UTF8.self) == """
                {"$schema":"https://www.speedscope.app/file-format-schema.json","name":"Hang",\
                "exporter":"symbolist","activeProfileIndex":0,"profiles":[{"type":"sampled",\
                "name":"Thread 0","unit":"none","startValue":0,"endValue":10,\
                "samples":[[1],[1,2]],"weights":[4,6]}],"shared":{"frames":[{"name":"(omitted)"},\
                {"name":"main"},{"name":"work"}]}}
                """)
    }

    @Test("joined profiles have the threads of all reports, and share their functions")
    func joined() {
        let graph = graph(.sampled([Call("main", 10)]))
        let profiles = ["Hang", "Launch"].map { name in
            SpeedscopeProfile(
                name: name, threads: [.init(name: "Thread 0", graph: graph)], exporter: "symbolist")
        }
        let text = String(decoding: SpeedscopeProfile(joining: profiles).bytes, as: UTF8.self)
        #expect(text.contains(#""name":"2 reports""#))
        #expect(text.contains(#""name":"Hang, Thread 0""#))
        #expect(text.contains(#""name":"Launch, Thread 0""#))
        #expect(text.contains(#""frames":[{"name":"(omitted)"},{"name":"main"}]"#))
    }

    @Test("stacks beyond the limit of a speedscope profile are one sample")
    func limitedSpeedscope() {
        let graph = graph(.sampled([Call("main", 10, [Call("a", 6), Call("b", 3)])]))
        let profile = SpeedscopeProfile(
            name: "", threads: [.init(name: "", graph: graph)], exporter: "",
            sampledFrameLimit: 1)
        let text = String(decoding: profile.bytes, as: UTF8.self)
        #expect(text.contains(#""samples":[[1],[0]],"weights":[1,9]"#))
    }
}
