import Synchronization
import TaskCoordination
import Testing

@Suite("Repetition")
struct RepetitionTests {
    @Test("runs again after each pause, until the task is cancelled", .timeLimit(.minutes(1)))
    func pauses() async {
        let runs = Mutex(0)
        let task = Task {
            await repeatUntilCancelled(pausing: .milliseconds(1)) { runs.withLock { $0 += 1 } }
        }
        while runs.withLock({ $0 }) < 3 { await Task.yield() }
        task.cancel()
        await task.value
        let count = runs.withLock { $0 }
        try? await Task.sleep(for: .milliseconds(20))
        #expect(runs.withLock { $0 } == count)
    }

    @Test("a cancellation ends a pause", .timeLimit(.minutes(1)))
    func cancellation() async {
        let hasRun = Latch()
        let task = Task {
            await repeatUntilCancelled(pausing: .seconds(3_600)) { hasRun.open() }
        }
        await hasRun.wait()
        task.cancel()
        await task.value
    }

    @Test("nothing runs in a task that is cancelled already")
    func never() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            var runs = 0
            await repeatUntilCancelled(pausing: .zero) { runs += 1 }
            return runs
        }
        task.cancel()
        #expect(await task.value == 0)
    }
}
