import CallStacks
import Foundation
import JSONText
import StackRendering
import TestSupport
import Testing

@Suite("JSON for programs")
struct StackJSONTests {
    @Test("a crash has threads")
    func crash() throws {
        try expectGolden(StackJSON(layout: .pretty).text(of: Example.crash) + "\n", "crash.json")
    }

    @Test("a hang has a tree")
    func hang() throws {
        try expectGolden(StackJSON(layout: .pretty).text(of: Example.hang) + "\n", "hang.json")
    }

    @Test("every frame has the same keys, whatever its status")
    func keys() throws {
        let always: Set<String> = [
            "image", "uuid", "offset", "address", "status", "in_app", "function", "mangled",
            "function_offset", "file", "path", "line", "column", "approximate", "inlined",
            "compiler_generated",
        ]
        let object = try parsed(StackJSON().text(of: Example.crash))
        let threads = try #require(object["threads"] as? [[String: Any]])
        let frames = threads.flatMap { $0["frames"] as? [[String: Any]] ?? [] }
        #expect(frames.count == Example.crash.frames.count)
        for frame in frames {
            #expect(Set(frame.keys).subtracting(["reason", "remarks"]) == always)
        }
        let nodes = try #require(
            try parsed(StackJSON().text(of: Example.hang))["tree"] as? [[String: Any]])
        try #require(!nodes.isEmpty)
        #expect(
            Set(nodes[0].keys).subtracting(["reason"])
                == always.union(["samples", "children", "thread"]))
    }

    @Test("a stack with several roots is several threads with its index, in order")
    func severalRoots() throws {
        var rows = ["a", "b", "c", "d"].map { Example.row("Shop", 1, $0) }
        for (row, parent) in [nil, 0, nil, 2].enumerated() { rows[row].parent = parent }
        let diagnostic = Example.diagnostic(.crash, rows, stacks: [("main", 0..<4)])
        let threads = try #require(
            try parsed(StackJSON().text(of: diagnostic))["threads"] as? [[String: Any]])
        #expect(threads.map { $0["index"] as? Int } == [0, 0])
        #expect(threads.map { $0["name"] as? String } == ["main", "main"])
        let functions = threads.map { thread in
            (thread["frames"] as? [[String: Any]])?.map { $0["function"] as? String }
        }
        #expect(functions == [["a", "b"], ["c", "d"]])
    }

    @Test("large numbers and any text survive")
    func extremes() throws {
        var rows = [Example.row("Sh\"op\\\n\u{1}", 1, "f<π>")]
        rows[0].address = RuntimeAddress(.max)
        rows[0].offset = ImageOffset(.max)
        let diagnostic = Example.diagnostic(.crash, rows, stacks: [("main", 0..<1)])
        let text = StackJSON().text(of: diagnostic)
        #expect(text.contains("\"address\":\"0xffffffffffffffff\""))
        #expect(text.contains("\"offset\":18446744073709551615"))
        let threads = try #require(try parsed(text)["threads"] as? [[String: Any]])
        let frame = try #require((threads.first?["frames"] as? [[String: Any]])?.first)
        #expect(frame["image"] as? String == "Sh\"op\\\n\u{1}")
        #expect(frame["function"] as? String == "f<π>")
    }

    private func parsed(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}
