import Synchronization
import TaskCoordination
import Testing

@Suite("Wakeup")
struct WakeupTests {
    private let clock = ManualClock()

    @Test("a signal sent before a wait ends the wait at once")
    func earlySignal() async {
        let wakeup = Wakeup(clock: clock)
        wakeup.signal()
        await wakeup.wait(atMost: .seconds(1))
        #expect(clock.sleeperCount == 0)
    }

    @Test("a signal ends a wait before its time is over")
    func signal() async {
        let wakeup = Wakeup(clock: clock)
        async let wait: Void = wakeup.wait(atMost: .seconds(1))
        await clock.sleepers(1)
        wakeup.signal()
        await wait
        #expect(clock.now.offset == .zero)
    }

    @Test("signals sent while the task is busy count as one")
    func coalesced() async {
        let wakeup = Wakeup(clock: clock)
        for _ in 0..<3 { wakeup.signal() }
        await wakeup.wait(atMost: .seconds(1))
        let ended = Counter()
        async let second: Void = {
            await wakeup.wait(atMost: .seconds(1))
            ended.increment()
        }()
        await clock.sleepers(1)
        #expect(ended.count == 0)
        clock.advance(by: .seconds(1))
        await second
    }

    @Test("a wait that timed out leaves later signals to later waits")
    func afterTimeout() async {
        let wakeup = Wakeup(clock: clock)
        async let first: Void = wakeup.wait(atMost: .seconds(1))
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        await first
        wakeup.signal()
        await wakeup.wait(atMost: .seconds(1))
        #expect(clock.now.offset == .seconds(1))
    }

    @Test("cancelling the task ends its wait, and not the next one")
    func cancellation() async {
        let wakeup = Wakeup(clock: clock)
        let cancelled = Task { await wakeup.wait(atMost: .seconds(1)) }
        await clock.sleepers(1)
        cancelled.cancel()
        await cancelled.value
        async let next: Void = wakeup.wait(atMost: .seconds(2))
        await clock.sleepers(1)
        wakeup.signal()
        await next
        #expect(clock.now.offset == .zero)
    }

    @Test(
        "two tasks that wait at once both return in time, however they begin",
        .timeLimit(.minutes(5)))
    func secondTask() async {
        for _ in 0..<200 {
            let wakeup = Wakeup(clock: clock)
            let finished = Counter()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        await wakeup.wait(atMost: .seconds(1))
                        finished.increment()
                    }
                }
                while finished.count < 2 {
                    clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
        }
    }

    @Test("no signal is lost, however signals and waits interleave")
    func interleavings() async {
        let wakeup = Wakeup()
        let produced = Counter()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<2_000 {
                    produced.increment()
                    wakeup.signal()
                    await Task.yield()
                }
            }
            group.addTask {
                // A lost signal would leave this waiting for an hour.
                while produced.count < 2_000 { await wakeup.wait(atMost: .seconds(3_600)) }
            }
        }
        #expect(produced.count == 2_000)
    }
}

private final class Counter: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func increment() { state.withLock { $0 += 1 } }
}
