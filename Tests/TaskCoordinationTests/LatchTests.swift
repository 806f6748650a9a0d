import TaskCoordination
import Testing

@Suite("Latches")
struct LatchTests {
    @Test("a cancelled task waits until the latch is open")
    func cancelled() async {
        let latch = Latch()
        let hasWaited = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await latch.wait()
                return true
            }
            group.addTask {
                try? await Task.sleep(for: .milliseconds(50))
                return false
            }
            group.cancelAll()
            let first = await group.next()
            latch.open()
            return first == false
        }
        #expect(hasWaited)
        await latch.wait()
    }
}
