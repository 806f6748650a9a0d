import CallStacks
import FlameGraphs
import Synchronization
import Testing

@testable import Ingest

/// Stored stacks in memory, which count how many of them are read.
private final class MemoryStacks: SampledStackArchive {
    private struct State {
        var stacks: [Int64: [UInt8]] = [:]
        var readCount = 0
    }

    private let state = Mutex(State())

    func put(
        _ ids: ClosedRange<Int64>, samples: UInt64 = 1,
        function: (Int64) -> String = { _ in "main" }
    ) throws {
        for id in ids {
            let stacks = try #require(
                SampledStacks(of: hang(samples: samples, function: function(id))))
            state.withLock { $0.stacks[id] = stacks.bytes }
        }
    }

    func remove(_ id: Int64) { state.withLock { $0.stacks[id] = nil } }

    /// The number of stacks that were read since the last call.
    func takeReadCount() -> Int {
        state.withLock { state in
            defer { state.readCount = 0 }
            return state.readCount
        }
    }

    func sampledStackIDs(_ query: FlameQuery) -> [Int64] {
        state.withLock { Array($0.stacks.keys.sorted(by: >).prefix(query.limit)) }
    }

    func sampledStacks(_ ids: [Int64]) -> [Int64: [UInt8]] {
        state.withLock { state in
            state.readCount += ids.count
            return state.stacks.filter { ids.contains($0.key) }
        }
    }

    func diagnosticCount(_ query: FlameQuery) -> Int { state.withLock { $0.stacks.count } }

    private func hang(samples: UInt64, function: String) -> SymbolicatedDiagnostic {
        var frame = SymbolicatedFrame(
            physical: 0,
            frame: CallFrame(image: nil, imageName: "Shop", site: nil, samples: samples),
            status: .symbolicated)
        frame.function = function
        return SymbolicatedDiagnostic(
            kind: .hang, details: DiagnosticDetails(), status: .symbolicated, culprit: nil,
            fingerprint: "", form: .sampled,
            stacks: [CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<1)],
            frames: [frame], images: [], remarks: [])
    }
}

@Suite("Merged flame graphs")
struct MergedFlamesTests {
    private let archive = MemoryStacks()
    private let query = FlameQuery(.version("1.0", app: "a", kind: .hang), limit: 100)

    @Test("arrived stacks are added, and those no longer among the newest are subtracted")
    func follows() async throws {
        let flames = MergedFlames(archive: archive)
        try archive.put(1...100)
        var flame = try await flames.flame(query, by: .samples)
        #expect(flame.graph.total == 100 && flame.mergedCount == 100)
        #expect(archive.takeReadCount() == 100)

        flame = try await flames.flame(query, by: .samples)
        #expect(flame.graph.total == 100 && archive.takeReadCount() == 0)

        try archive.put(101...105, samples: 10)
        flame = try await flames.flame(query, by: .samples)
        #expect(flame.graph.total == 95 + 50)
        #expect(flame.mergedCount == 100 && flame.diagnosticCount == 105)
        #expect(archive.takeReadCount() == 10)
    }

    @Test("a graph is rebuilt if stacks are gone, or too many have changed")
    func madeAgain() async throws {
        let flames = MergedFlames(archive: archive)
        try archive.put(1...20)
        _ = try await flames.flame(query, by: .samples)
        archive.remove(7)
        var flame = try await flames.flame(query, by: .samples)
        #expect(flame.graph.total == 19 && flame.mergedCount == 19)
        for id in Int64(8)...20 { archive.remove(id) }
        flame = try await flames.flame(query, by: .samples)
        #expect(flame.graph.total == 6)
    }

    @Test("devices weigh the same, and each weighting has its own graph")
    func devices() async throws {
        let flames = MergedFlames(archive: archive)
        try archive.put(1...1, samples: 1)
        try archive.put(2...2, samples: 99)
        #expect(try await flames.flame(query, by: .samples).graph.total == 100)
        #expect(
            try await flames.flame(query, by: .devices).graph.total
                == 2 * FlameGraphBuilder.deviceWeight)
    }

    @Test("a graph that would get too many nodes has the newest stacks, and stays up to date")
    func nodeLimit() async throws {
        try archive.put(1...20) { "f\($0)" }
        let flames = MergedFlames(archive: archive, nodeLimit: 10)
        let first = try await flames.flame(query, by: .samples)
        #expect(first.mergedCount == 10 && first.diagnosticCount == 20)
        #expect(Set(first.graph.functions.map(\.label)) == Set((11...20).map { "f\($0)" }))
        _ = archive.takeReadCount()
        _ = try await flames.flame(query, by: .samples)
        #expect(archive.takeReadCount() == 0)
        try archive.put(21...21) { "f\($0)" }
        let second = try await flames.flame(query, by: .samples)
        #expect(Set(second.graph.functions.map(\.label)) == Set((12...21).map { "f\($0)" }))
    }

    @Test("more graphs than the limit are rebuilt when they are requested again")
    func limit() async throws {
        let flames = MergedFlames(archive: archive)
        try archive.put(1...1)
        for number in 0...MergedFlames.graphLimit {
            _ = try await flames.flame(
                FlameQuery(.version("\(number)", app: "a", kind: .hang)), by: .samples)
        }
        _ = archive.takeReadCount()
        _ = try await flames.flame(
            FlameQuery(.version("1", app: "a", kind: .hang)), by: .samples)
        #expect(archive.takeReadCount() == 0)
        _ = try await flames.flame(
            FlameQuery(.version("0", app: "a", kind: .hang)), by: .samples)
        #expect(archive.takeReadCount() == 1)
    }
}
