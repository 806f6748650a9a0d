import Synchronization

/// A produced message that waits for its delivery report. It completes once.
final class PendingDelivery: Sendable {
    private enum State {
        case started
        case waiting(CheckedContinuation<ResponseCode, Never>)
        case finished(ResponseCode)
    }

    private let state = Mutex(State.started)

    /// Waits for the result, which is `purgedInFlight` if the task is cancelled.
    func result() async -> ResponseCode {
        await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0) }
        } onCancel: {
            finish(.purgedInFlight)
        }
    }

    private func wait(_ continuation: CheckedContinuation<ResponseCode, Never>) {
        let result = state.withLock { state -> ResponseCode? in
            if case .finished(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let result { continuation.resume(returning: result) }
    }

    /// Completes the delivery. Later results are ignored.
    func finish(_ result: ResponseCode) {
        let continuation = state.withLock {
            state -> CheckedContinuation<ResponseCode, Never>? in
            switch state {
            case .started:
                state = .finished(result)
                return nil
            case .waiting(let continuation):
                state = .finished(result)
                return continuation
            case .finished: return nil
            }
        }
        continuation?.resume(returning: result)
    }
}
