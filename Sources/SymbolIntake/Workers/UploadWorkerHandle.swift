import Glibc
import Synchronization

/// A running worker process, shared by threads. Killing it can never affect another process.
final class UploadWorkerHandle: Sendable {
    private struct State {
        /// The process ID, from the start until the kernel may reuse it.
        var process: pid_t?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets the process ID. A worker that was already cancelled is killed immediately.
    func start(_ process: pid_t) {
        let isCancelled = state.withLock {
            $0.process = process
            return $0.isCancelled
        }
        if isCancelled { kill() }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        kill()
    }

    /// Kills the worker and all processes it started.
    func kill() {
        state.withLock { state in
            if let process = state.process { _ = Glibc.kill(-process, SIGKILL) }
        }
    }

    /// Waits for the worker to end, and reaps it.
    ///
    /// - Returns: The status from `waitpid`.
    func reap() -> Int32 {
        guard let process = state.withLock({ $0.process }) else { return 0 }
        var information = unsafe siginfo_t()
        // WNOWAIT leaves the process unreaped, so that its ID still refers to it.
        while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0,
            errno == EINTR
        {}
        return state.withLock { state in
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            state.process = nil
            return status
        }
    }
}
