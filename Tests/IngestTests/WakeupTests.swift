import Ingest
import Synchronization
import Testing

@Suite("Waking a loop up")
struct WakeupTests {
    @Test("A wait that ran out does not end the waits behind it")
    func waitsAgain() async {
        let wakeup = Wakeup()
        await wakeup.wait(atMost: .milliseconds(1))
        let hasReturned = Atomic(false)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await wakeup.wait(atMost: .seconds(3_600))
                hasReturned.store(true, ordering: .releasing)
            }
            for _ in 0..<10_000 { await Task.yield() }
            #expect(!hasReturned.load(ordering: .acquiring))
            wakeup.signal()
        }
        #expect(hasReturned.load(ordering: .acquiring))
    }

    @Test("Signals that come while nobody waits count as one")
    func countsOnce() async {
        let wakeup = Wakeup()
        wakeup.signal()
        wakeup.signal()
        await wakeup.wait(atMost: .seconds(3_600))
        let hasReturned = Atomic(false)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await wakeup.wait(atMost: .seconds(3_600))
                hasReturned.store(true, ordering: .releasing)
            }
            for _ in 0..<10_000 { await Task.yield() }
            #expect(!hasReturned.load(ordering: .acquiring))
            group.cancelAll()
        }
        #expect(hasReturned.load(ordering: .acquiring))
    }
}
