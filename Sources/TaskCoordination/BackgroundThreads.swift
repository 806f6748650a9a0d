import Dispatch
import Glibc
import Synchronization

/// Threads with a lower priority, for computations that no client waits for: the threads that
/// answer requests run first.
///
/// The tasks that prefer this executor are only those of
/// `withTaskExecutorPreference(BackgroundThreads.shared)`.
public final class BackgroundThreads: TaskExecutor {
    /// One thread per processor, for the whole process.
    public static let shared = BackgroundThreads(count: ContainerLimits.processorCount)

    /// A thread of this niceness gets about a tenth of the CPU time of one with normal priority.
    private static let niceness: Int32 = 10

    private let jobs = Mutex<[UnownedJob]>([])
    private let available = DispatchSemaphore(value: 0)
    /// 0 if the system refused to create threads.
    private let threadCount = Atomic(0)

    private init(count: Int) {
        for _ in 0..<max(count, 1) where startThread({ self.work() }) == 0 {
            threadCount.add(1, ordering: .relaxed)
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        guard threadCount.load(ordering: .relaxed) > 0 else {
            return globalConcurrentExecutor.enqueue(job)
        }
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        available.signal()
    }

    private func work() {
        // In Linux, 0 is the calling thread.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        while true {
            available.wait()
            let job = jobs.withLock { $0.removeFirst() }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
