import ServiceLifecycle

/// A service that works on the node's lane, and is cancelled when the node loses it, or if the
/// database does not respond when the service stops.
///
/// It then stays in the service group until its turn to stop, so that the listeners can first
/// reject the requests in progress.
struct LaneBound: Service {
    let service: any Service
    let keeper: LaneKeeper

    func run() async throws {
        let isCancelled = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await service.run()
                return false
            }
            group.addTask {
                await keeper.waitForLoss()
                return true
            }
            group.addTask {
                try await gracefulShutdown()
                await keeper.waitForSilence()
                return true
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        if isCancelled { try? await gracefulShutdown() }
    }
}
