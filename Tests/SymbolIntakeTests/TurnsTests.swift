import Synchronization
import Testing

@testable import SymbolIntake

@Suite("Turns")
struct TurnsTests {
    @Test("no more run at a time than there are turns, and all have one")
    func bounded() async throws {
        let turns = Turns(3)
        let counts = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await turns.run {
                        counts.begin()
                        await Task.yield()
                        counts.end()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counts.most <= 3)
        #expect(counts.done == 50)
    }

    @Test("a cancelled task gives its place in the queue up, and an error its turn")
    func cancelled() async throws {
        let turns = Turns(1)
        let waiting = try await turns.run {
            let task = Task { try await turns.run {} }
            task.cancel()
            return await task.result
        }
        #expect(throws: CancellationError.self) { try waiting.get() }
        await #expect(throws: CancellationError.self) {
            try await turns.run { throw CancellationError() }
        }
        #expect(try await turns.run { 7 } == 7)
    }
}

private final class Counts: Sendable {
    private let state = Mutex((running: 0, most: 0, done: 0))

    var most: Int { state.withLock { $0.most } }
    var done: Int { state.withLock { $0.done } }

    func begin() {
        state.withLock {
            $0.running += 1
            $0.most = max($0.most, $0.running)
        }
    }

    func end() {
        state.withLock {
            $0.running -= 1
            $0.done += 1
        }
    }
}
