/// Limits the number of tasks that run a section at once. Waiting tasks enter in the order of their
/// arrival.
public actor TaskSemaphore {
    private var free: Int
    private var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    private var nextTicket: UInt64 = 0
    private var nextServed: UInt64 = 0

    /// - Parameter count: The number of tasks that may run at once. Values below 1 count as 1.
    public init(count: Int) { free = max(count, 1) }

    /// Runs `body` when a slot is free.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits, or the error of
    ///   `body`.
    public nonisolated func run<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await acquire()
        do {
            let result = try await body()
            await release()
            return result
        } catch {
            await release()
            throw error
        }
    }

    private func acquire() async throws {
        try Task.checkCancellation()
        if free > 0 {
            free -= 1
            return
        }
        let ticket = nextTicket
        nextTicket += 1
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting[ticket] = $0 }
        } onCancel: {
            Task { await self.cancel(ticket) }
        }
    }

    private func cancel(_ ticket: UInt64) {
        waiting.removeValue(forKey: ticket)?.resume(throwing: CancellationError())
    }

    private func release() {
        while nextServed < nextTicket {
            let next = waiting.removeValue(forKey: nextServed)
            nextServed += 1
            if let next { return next.resume() }
        }
        free += 1
    }
}
