import Dispatch

/// Runs the tasks of a test's server on a separate thread.
///
/// Swift's pool has a thread for each core. Tests that compute for long occupy all of them, and a
/// server that waits for one is unreachable to its client.
public final class ServerThread: TaskExecutor {
    // A serial queue gets its own thread even when all threads of the pool are busy.
    private let queue = DispatchQueue(label: "test server")

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
