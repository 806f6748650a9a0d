import SharedDatabase

/// Runs work that one node of the cluster does at a time, however long it takes.
struct ExclusiveTasks: Sendable {
    private let tasks: SharedTasks
    private let lease: Duration

    /// - Parameter lease: The time after which a node that does not respond loses its task.
    init(_ tasks: SharedTasks, lease: Duration) {
        self.tasks = tasks
        self.lease = lease
    }

    /// Runs `body` unless another node has the task.
    ///
    /// - Returns: The result, or `nil` if another node has the task.
    func run<Result: Sendable>(
        _ name: String, _ body: @Sendable () async throws -> Result
    ) async throws -> Result? {
        guard try await tasks.hold(name, for: lease) else { return nil }
        do {
            let result = try await renewing(name, body)
            await abandon(name)
            return result
        } catch {
            await abandon(name)
            throw error
        }
    }

    /// Runs `body` while another task keeps renewing the lease in the database.
    private func renewing<Result: Sendable>(
        _ name: String, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let renewal = Task {
            while true {
                try await Task.sleep(for: lease / 3)
                // If the lease expires, two nodes may do the same work, which only costs time.
                _ = try? await tasks.hold(name, for: lease)
            }
        }
        defer { renewal.cancel() }
        return try await body()
    }

    /// Releases the task, so that another node can take it. If that fails, the lease has to expire.
    private func abandon(_ name: String) async { try? await tasks.abandon(name) }
}
