import Problems
import Synchronization
import TaskCoordination

/// Runs writes that may block, one after another, on a thread that ends when none are left.
///
/// A write to a pipe whose reader has stalled blocks forever. It would take a thread away from
/// other work, and hold up a graceful stop.
final class WritingThread: Sendable {
    private struct State {
        var writes: [PendingWrite] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Runs `body` on the thread.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. `body` does not run in that case,
    ///   unless it has already started.
    func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        let write = PendingWrite(body)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if write.wait(continuation) { add(write) }
            }
        } onCancel: {
            // Otherwise a stalled write would keep the bytes of every attempt.
            state.withLock { $0.writes.removeAll { $0 === write } }
            write.finish(.failure(CancellationError()))
        }
    }

    /// The number of writes that wait for the thread.
    var waitingCount: Int { state.withLock(\.writes.count) }

    private func add(_ write: PendingWrite) {
        let startsThread = state.withLock { state in
            state.writes.append(write)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard startsThread else { return }
        let code = startThread { [self] in while let write = next() { write.run() } }
        guard code != 0 else { return }
        let failure = Problem("output", detail: "no thread: errno \(code)")
        while let write = next() { write.finish(.failure(failure)) }
    }

    private func next() -> PendingWrite? {
        state.withLock { state in
            guard !state.writes.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.writes.removeFirst()
        }
    }
}

/// A write that completes once.
private final class PendingWrite: Sendable {
    private enum State {
        case created
        case waiting(CheckedContinuation<Void, any Error>)
        case finished(Result<Void, any Error>)
    }

    private let body: @Sendable () throws -> Void
    private let state = Mutex(State.created)

    init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }

    /// - Returns: `false` if the write was already cancelled.
    func wait(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        let result = state.withLock { state -> Result<Void, any Error>? in
            if case .finished(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
        return result == nil
    }

    func run() {
        if state.withLock({ state in if case .finished = state { true } else { false } }) { return }
        finish(Result { try body() })
    }

    /// Completes the write. Later results are ignored.
    func finish(_ result: Result<Void, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if case .finished = state { return nil }
            defer { state = .finished(result) }
            return if case .waiting(let continuation) = state { continuation } else { nil }
        }
        continuation?.resume(with: result)
    }
}
