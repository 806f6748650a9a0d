import Glibc
import TaskCoordination
import Testing

@Suite("Background threads")
struct BackgroundThreadsTests {
    /// The niceness of the current thread. In Linux, 0 is the calling thread.
    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test("tasks that prefer them, and their child tasks, run with a lower priority")
    func priority() async {
        let outside = await Self.currentNiceness()
        let inside = await withTaskExecutorPreference(BackgroundThreads.shared) {
            await Array(0..<100).concurrentMap(width: 4) { _ in Self.niceness }
        }
        #expect(Set(inside) == [min(outside + 10, 19)])
        #expect(await Self.currentNiceness() == outside)
    }

    @concurrent
    private static func currentNiceness() async -> Int32 { niceness }
}
