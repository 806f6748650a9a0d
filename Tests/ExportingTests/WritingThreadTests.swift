import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Exporting

@Suite("The thread of written lines", .ownThreads)
struct WritingThreadTests {
    @Test("a cancelled write does not wait behind one that blocks")
    func cancelled() async throws {
        let thread = WritingThread()
        let gate = DispatchSemaphore(value: 0)
        let isStarted = Mutex(false)
        let first = Task {
            try await thread.run {
                isStarted.withLock { $0 = true }
                gate.wait()
            }
        }
        #expect(await eventually { isStarted.withLock(\.self) })
        let second = Task { try await thread.run { Issue.record("the write was cancelled") } }
        #expect(await eventually { thread.waitingCount == 1 })
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(thread.waitingCount == 0)
        gate.signal()
        try await first.value
    }
}
