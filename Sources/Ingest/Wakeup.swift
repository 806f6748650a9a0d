import Synchronization

/// Tells one waiting loop that there is something to do. Calls that come while it is busy count as
/// one.
///
/// An `AsyncStream` would not do: a wait that runs out is a task that is cancelled, and that ends the
/// stream for all waits to come.
public final class Wakeup: Sendable {
    private struct State {
        var isSignalled = false
        var waiter: CheckedContinuation<Void, Never>?
        /// Counted up at every wait, so that a late cancellation ends its own wait only.
        var turn = 0
        var endedTurn = 0
    }

    private let state = Mutex(State())

    public init() {}

    public func signal() {
        let waiter = state.withLock { state in
            state.isSignalled = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Returns when ``signal()`` was called since the last return, when `duration` has passed, or
    /// when the task is cancelled.
    public func wait(atMost duration: Duration) async {
        if takeSignal() { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await Task.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    private func takeSignal() -> Bool {
        state.withLock { state in
            defer { state.isSignalled = false }
            return state.isSignalled
        }
    }

    private func wait() async {
        let turn = state.withLock { state in
            state.turn += 1
            return state.turn
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { enter(turn, $0) }
        } onCancel: {
            end(turn)
        }
    }

    private func enter(_ turn: Int, _ continuation: CheckedContinuation<Void, Never>) {
        let leaving = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.isSignalled || state.endedTurn >= turn {
                state.isSignalled = false
                return continuation
            }
            // There is one loop; a second one ends the wait of the first, and none is forgotten.
            let earlier = state.waiter
            state.waiter = continuation
            return earlier
        }
        leaving?.resume()
    }

    private func end(_ turn: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.turn == turn else { return nil }
            state.endedTurn = turn
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
