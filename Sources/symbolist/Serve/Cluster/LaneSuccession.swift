import Ingest
import Logging
import ServiceLifecycle
import SymbolIntake

/// Serves with one lane after another until the service stops.
///
/// A node that cannot get its first lane exits, so that its supervisor reports the problem. Later
/// it waits for the database instead, because it still has clients and open indexes.
struct LaneSuccession<Lane: Sendable>: Service {
    let logger: Logger
    var pause = Duration.seconds(1)
    /// Claims a lane.
    let claim: @Sendable () async throws -> Lane
    /// Serves until the node loses its lane or the service stops.
    let serve: @Sendable (Lane) async throws -> Void

    func run() async throws {
        var hasHadLane = false
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                let lane = try await claim()
                hasHadLane = true
                try await serve(lane)
            } catch is CancellationError where Task.isShuttingDownGracefully {
                // The service was stopped while it waited for disk space.
            } catch  where hasHadLane && isTransient(error) {
                logger.error("cluster: claiming a lane or serving with it failed: \(error)")
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
            }
        }
    }

    /// Whether another attempt may succeed.
    private func isTransient(_ error: any Error) -> Bool {
        guard !Task.isShuttingDownGracefully else { return false }
        return switch error {
        case let error as JournalError: Self.isTransient(error.reason)
        // The catalogue is in the same database.
        case is StorageError: true
        default: false
        }
    }

    private static func isTransient(_ reason: JournalError.Reason) -> Bool {
        switch reason {
        case .damaged, .unreadable: false
        case .full, .closed, .conflict, .unavailable, .other: true
        }
    }
}
