import Glibc
import Synchronization

/// A running child, as several threads may see it: whoever kills it hits it or nobody.
final class ChildHandle: Sendable {
    private struct State {
        /// From start to the moment in which the kernel may give its number to another process.
        var process: pid_t?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Notes that it runs. One that was cancelled before is killed at once.
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

    /// Kills the child and all that it started.
    func kill() {
        state.withLock { state in
            if let process = state.process { _ = Glibc.kill(-process, SIGKILL) }
        }
    }

    /// Waits for the end of the child and takes it off the system's list.
    ///
    /// - Returns: What `waitpid` fills in.
    func reap() -> Int32 {
        guard let process = state.withLock({ $0.process }) else { return 0 }
        var information = unsafe siginfo_t()
        // Leaves it on the list, so that its number still means it.
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
