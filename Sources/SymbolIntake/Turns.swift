/// Lets a number of tasks in at a time, in the order in which they come.
actor Turns {
    private var free: Int
    private var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    private var nextTicket: UInt64 = 0
    private var nextServed: UInt64 = 0

    init(_ count: Int) { free = max(count, 1) }

    /// Runs `body` when it is its turn.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    nonisolated func run<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await take()
        do {
            let result = try await body()
            await give()
            return result
        } catch {
            await give()
            throw error
        }
    }

    private func take() async throws {
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

    private func give() {
        while nextServed < nextTicket {
            let next = waiting.removeValue(forKey: nextServed)
            nextServed += 1
            if let next { return next.resume() }
        }
        free += 1
    }
}
