import TestSupport

/// A node with clients that send to it.
struct LoadedNode: Sendable {
    let site: Site
    let served: Served
    private let load: Task<Void, Never>

    /// Starts a node.
    ///
    /// - Parameter number: A number that no other load has.
    static func start(
        _ site: Site, recordingIn ledger: Ledger, number: UInt64, settings: [String: String] = [:]
    ) async throws -> Self {
        let served = try await site.start(settings: settings)
        let load = Load(client: site.client, ledgers: [ledger], number: number)
        return Self(site: site, served: served, load: Task { await load.run() })
    }

    /// Ends the clients, but not the node.
    func endLoad() async {
        load.cancel()
        await load.value
    }

    /// Kills the node, and ends its clients.
    func kill() async {
        await served.kill()
        await endLoad()
    }
}
