import Synchronization

/// Wakes one waiting task. Signals sent while the task is busy count as one.
///
/// An `AsyncStream` does not fit: cancelling one wait, which is how a wait times out, ends the
/// stream for all later waits.
public final class Wakeup: Sendable {
    private struct State {
        var isSignalled = false
        var waiter: (wait: Int, continuation: CheckedContinuation<Void, Never>)?
        var lastWait = 0
        /// The waits that ended before they began.
        var endedWaits: Set<Int> = []
    }

    private let state = Mutex(State())
    private let clock: any Clock<Duration>

    /// - Parameter clock: The clock that measures time limits.
    public init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

    public func signal() {
        let waiter = state.withLock { state in
            state.isSignalled = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.continuation.resume()
    }

    /// Waits for a signal sent since the last return, for at most `duration`, or until the task is
    /// cancelled.
    public func wait(atMost duration: Duration) async {
        if takeSignal() { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { [clock] in try? await clock.sleep(for: duration) }
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
        let number = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { begin(wait: number, $0) }
        } onCancel: {
            end(wait: number)
        }
        state.withLock { _ = $0.endedWaits.remove(number) }
    }

    private func begin(wait number: Int, _ continuation: CheckedContinuation<Void, Never>) {
        let resumed = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.isSignalled || state.endedWaits.contains(number) {
                state.isSignalled = false
                return continuation
            }
            // A second waiting task ends the wait of the first one, so that neither waits forever.
            let earlier = state.waiter
            state.waiter = (number, continuation)
            return earlier?.continuation
        }
        resumed?.resume()
    }

    private func end(wait number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiter?.wait == number else {
                state.endedWaits.insert(number)
                return nil
            }
            return state.waiter.take()?.continuation
        }
        waiter?.resume()
    }
}
