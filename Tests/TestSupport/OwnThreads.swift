import Foundation
import Synchronization
public import Testing

/// Runs the tests of a suite on separate threads.
///
/// Swift's pool has a thread for each core. Tests that compute for long, or wait for a process,
/// occupy all of them, and a client that is scheduled late exceeds the time limits of its server.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPool.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// For tests of servers, of their clients and of processes.
    public static var ownThreads: Self { OwnThreads() }
}

/// More threads than tests that run at once, because tests also block them.
private final class ThreadPool: TaskExecutor {
    static let shared = ThreadPool(threadCount: 32)

    private let jobs = Mutex<[UnownedJob]>([])
    private let available = DispatchSemaphore(value: 0)

    private init(threadCount: Int) {
        for _ in 0..<threadCount { Thread.detachNewThread { self.work() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        available.signal()
    }

    private func work() {
        while true {
            available.wait()
            let job = jobs.withLock { $0.removeFirst() }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
