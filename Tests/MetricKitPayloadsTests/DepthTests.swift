import CallStacks
import Foundation
import JSONText
import MetricKitPayloads
import Testing

@Suite("A deep stack")
struct DepthTests {
    /// JSON of nested frames, each with its offset before or after the frames in it.
    private func nested(_ count: Int) -> String {
        let before = "{\"binaryUUID\":\"\(uuid(1))\",\"subFrames\":["
        let leaf = "{\"binaryUUID\":\"\(uuid(1))\",\"offsetIntoBinaryTextSegment\":64}"
        let after = "],\"offsetIntoBinaryTextSegment\":64}"
        let text = String(repeating: before, count: count - 1) + leaf
        return payload(diagnostic(tree([text + String(repeating: after, count: count - 1)])))
    }

    @Test(
        "is read, resolved and freed within a thread stack of 512 KiB",
        arguments: [254, 255, 5_000, 16_384])
    func depth(count: Int) async throws {
        let text = nested(count)
        let tree = await onSmallStack { read(text).diagnostics.map { $0.resolved().tree } }
        try #require(tree.map(\.frames.count) == [count])
        #expect(tree[0].remarks == [.orientationDefault])
        #expect(tree[0].frames.last?.parent == count - 2)
    }

    @Test("has its first 16,384 frames read")
    func limit() async throws {
        let text = nested(16_385)
        let tree = await onSmallStack { read(text).diagnostics.map { $0.resolved().tree } }
        try #require(tree.map(\.frames.count) == [16_384])
        #expect(tree[0].remarks == [.depthLimit, .orientationDefault])
    }

    @Test("beyond the maximum depth of JSON is salvaged")
    func salvage() async throws {
        let text = nested(40_000)
        let payload = await onSmallStack { read(text) }
        try #require(!payload.elements.isEmpty)
        #expect(payload.elements[0].remarks == [.depthLimit])
    }

    @Test("is written with the depth that was read")
    func writing() async throws {
        let text = nested(16_384)
        let copy = await onSmallStack {
            var writer = JSONWriter()
            if let root = JSONDocument(Array(text.utf8)).root { writer.copy(root) }
            return writer.text
        }
        #expect(copy == text)
    }

    /// Runs `body` on a thread with a stack as small as those of a dispatch queue.
    private func onSmallStack<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }
}
