import Synchronization

/// Tells one waiting loop that there is something to do. Calls that come while it is busy count as
/// one.
///
/// An `AsyncStream` would not do: it ends for good when a task that waits for it is cancelled.
public final class Wakeup: Sendable {
    private struct State {
        var isSignalled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    public init() {}

    public func signal() { release(isSignal: true) }

    /// Returns when ``signal()`` was called since the last return, when `duration` has passed, or
    /// when the task is cancelled.
    public func wait(atMost duration: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForSignal() }
            // Throws when the task is cancelled, and then the group ends anyway.
            group.addTask { try? await Task.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForSignal() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard !state.isSignalled, !Task.isCancelled else {
                        state.isSignalled = false
                        return true
                    }
                    precondition(state.waiter == nil, "two loops wait for one wakeup")
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            release(isSignal: false)
        }
    }

    private func release(isSignal: Bool) {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if isSignal, state.waiter == nil { state.isSignalled = true }
            return state.waiter
        }
        waiter?.resume()
    }
}
