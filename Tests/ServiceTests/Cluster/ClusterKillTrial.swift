import TestSupport
import Testing

/// Nodes under load that are killed or paused at random moments.
final class ClusterKillTrial {
    private let cluster: TestCluster
    private let ledger = Ledger()
    private let settings: [String: String]
    private var nodes: [LoadedNode] = []
    private var numbers: SplitMix64
    private var loadCount: UInt64 = 0

    /// - Parameter settings: Settings of all nodes, in addition to those of the cluster.
    init(
        in cluster: TestCluster, seed: UInt64, settings: [String: String] = [:]
    ) async throws {
        self.cluster = cluster
        self.settings = settings
        numbers = SplitMix64(seed: seed)
        for site in cluster.sites { nodes.append(try await start(site)) }
    }

    private func start(_ site: Site) async throws -> LoadedNode {
        loadCount += 1
        return try await .start(
            site, recordingIn: ledger, number: loadCount, settings: settings)
    }

    /// Kills a node some time after its start, and starts it again. A quarter of the nodes are also
    /// killed while they start.
    func killOnce() async throws {
        try await sleep(50...1_500)
        let number = Int.random(in: nodes.indices, using: &numbers)
        let site = cluster.sites[number]
        await nodes[number].kill()
        if numbers.next() % 4 == 0 { try await killStart(of: site) }
        nodes[number] = try await start(site)
    }

    private func killStart(of site: Site) async throws {
        let served = try site.launch(settings: settings)
        try await sleep(0...250)
        await served.kill()
    }

    private func sleep(_ milliseconds: ClosedRange<Int>) async throws {
        let pause = Int.random(in: milliseconds, using: &numbers)
        try await Task.sleep(for: .milliseconds(pause))
    }

    /// Pauses a node for longer than a lease, so that others adopt its lane. Afterwards it continues
    /// with another lane.
    func pauseOnce() async throws {
        let node = nodes[Int.random(in: nodes.indices, using: &numbers)]
        node.served.pause()
        try await Task.sleep(for: TestCluster.lease + .seconds(6))
        node.served.resume()
        #expect(
            await eventually { (try? await node.site.client.get("/readyz"))?.status == 200 },
            "a node that was paused accepts requests again")
        #expect(!node.served.hasEnded)
    }

    var summary: String { cluster.summary(of: ledger) }

    /// Ends the load, and checks that everything acknowledged arrived.
    func expectEverything() async {
        for node in nodes { await node.endLoad() }
        await cluster.expectEverything(of: ledger)
    }

    /// Stops all nodes, which finish what waits.
    func end() async throws {
        for node in nodes { #expect(await node.served.stop() == 0) }
        await cluster.end()
    }
}
