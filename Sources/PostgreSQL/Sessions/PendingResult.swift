import Synchronization

/// A result that a task waits for and a thread produces. Only the first resolution takes effect.
final class PendingResult<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, DatabaseError>

    private enum State {
        case open
        case awaited(CheckedContinuation<Outcome, Never>)
        case resolved(Outcome)
    }

    private let state = Mutex(State.open)

    /// - Returns: Whether this was the first resolution.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            switch state {
            case .resolved: return (false, nil as CheckedContinuation<Outcome, Never>?)
            case .open:
                state = .resolved(outcome)
                return (true, nil)
            case .awaited(let waiter):
                state = .resolved(outcome)
                return (true, waiter)
            }
        }
        waiter?.resume(returning: outcome)
        return isFirst
    }

    var isResolved: Bool {
        state.withLock { if case .resolved = $0 { true } else { false } }
    }

    /// Waits for the result. One task may wait, once.
    func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state -> Outcome? in
                if case .resolved(let outcome) = state { return outcome }
                state = .awaited(continuation)
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Waits for the result. Cancelling the task resolves it.
    ///
    /// - Parameter onCancel: Called if the cancellation was the first resolution.
    func outcome(onCancel: @escaping @Sendable () -> Void) async -> Outcome {
        await withTaskCancellationHandler {
            await outcome()
        } onCancel: {
            if resolve(.failure(.cancelled)) { onCancel() }
        }
    }
}
