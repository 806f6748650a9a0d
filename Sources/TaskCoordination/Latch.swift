import Synchronization

/// An event that happens once, for which tasks wait even if they are cancelled.
public final class Latch: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    public init() {}

    /// Resumes all tasks that wait. Later ones do not wait.
    public func open() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            defer { state = .open }
            return if case .closed(let waiters) = state { waiters } else { [] }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the latch is open.
    public func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard case .closed(let waiters) = state else { return true }
                state = .closed(waiters + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}
