import CallStacks
import Foundation
import StackRendering
import Testing

@Suite("Depth")
struct DepthTests {
    /// The maximum depth of a stack in a payload.
    private static let depth = 16_384

    @Test("the deepest trees are written on a thread with 512 KiB of stack")
    func tree() async throws {
        let texts = await onSmallStack {
            let deep = Self.stack(form: .sampled)
            return [StackText().stacks(of: deep), StackJSON().text(of: deep)]
        }
        let lines = texts[0].split(separator: "\n")
        try #require(lines.count == Self.depth + 1)
        #expect(lines[2].hasPrefix("└╴1  f1"))
        #expect(lines[129].drop { $0 == " " }.hasPrefix("└╴1  f128"))
        #expect(lines[130].hasPrefix("[level 129] 1  f129"))
        #expect(texts[1].split(separator: "\"children\":").count == Self.depth + 1)
        #expect(texts[1].contains(String(repeating: "]}", count: Self.depth) + "],"))
    }

    @Test("the deepest recursion is written in full")
    func thread() async {
        let texts = await onSmallStack {
            let deep = Self.stack(form: .threads)
            return [StackText().stacks(of: deep), StackJSON().text(of: deep)]
        }
        #expect(texts[0].split(separator: "\n").last?.hasPrefix("16383 Shop") == true)
        #expect(texts[1].split(separator: "\"function\":").count == Self.depth + 1)
    }

    private static func stack(form: CallStackTree.Form) -> SymbolicatedDiagnostic {
        let rows = (0..<depth).map { index in
            var row = Example.row("Shop", 4, "f\(index)")
            row.physical = index
            row.parent = index == 0 ? nil : index - 1
            row.samples = form == .sampled ? 1 : nil
            return row
        }
        var deep = Example.diagnostic(.crash, rows, stacks: [(nil, rows.indices)])
        deep.form = form
        return deep
    }

    private func onSmallStack(_ body: @escaping @Sendable () -> [String]) async -> [String] {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }
}
