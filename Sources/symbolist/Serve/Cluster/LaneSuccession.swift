import ServiceLifecycle

/// Serves with one lane after another until the service stops.
struct LaneSuccession: Service {
    /// Claims a lane, and serves until the node loses it or the service stops.
    let serveNextLane: @Sendable () async throws -> Void

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            do { try await serveNextLane() } catch is CancellationError
                where Task.isShuttingDownGracefully
            {
                // The service was stopped while it waited for disk space.
            }
        }
    }
}
