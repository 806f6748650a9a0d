import CallStacks
import Foundation
import Symbolication
import Testing

@Suite("Depth")
struct DepthTests {
    /// The maximum depth of a stack in a payload.
    private static let depth = 16_384

    @Test(
        "the deepest stacks are expanded on a thread with 512 KiB of stack",
        arguments: [CallStackTree.Form.threads, .sampled])
    func deep(form: CallStackTree.Form) async throws {
        let symbols = KnownSymbols(functions: [
            .init(range: 0..<64, frames: [.at("i2"), .at("i1"), .at("f")])
        ])
        let supply = try symbols.supply()
        let rows = await onSmallStack { Self.rowCount(form: form, supply) }
        #expect(rows == 3 * Self.depth)
    }

    /// Builds, symbolicates and frees a stack; returns how many of its rows have the expected
    /// parent.
    private static func rowCount(form: CallStackTree.Form, _ supply: SymbolSupply) -> Int {
        let frames = (0..<depth).map {
            CallFrame.at(4, parent: $0 == 0 ? nil : $0 - 1, samples: form == .sampled ? 1 : nil)
        }
        let tree = CallStackTree(
            form: form, stacks: [CallStack(index: 0, isAttributed: true, frames: 0..<depth)],
            frames: frames)
        let diagnostic = Diagnostic(kind: .crash, tree: tree)
        let result = Symbolicator(provider: KnownProvider())
            .symbolicate(diagnostic, with: FetchedSymbols([.shop: supply]))
        return result.representativeFrames.count
    }

    private func onSmallStack(_ body: @escaping @Sendable () -> Int) async -> Int {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }
}
