/// An operation exceeded its time limit.
package struct TimeLimitExceeded: Error {}

/// Runs an operation, and cancels it when its time limit is exceeded.
///
/// - Throws: ``TimeLimitExceeded``, or the error of the operation.
package func withTimeLimit<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        guard let result = try await group.next() ?? nil else { throw TimeLimitExceeded() }
        return result
    }
}
