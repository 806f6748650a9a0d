import CallStacks
import Foundation
import TestSupport
import Testing

/// Nodes under load that are killed or paused at random moments.
final class ClusterKillTrial {
    let cluster: TestCluster
    private let ledger = Ledger()
    private var nodes: [Node] = []
    private var numbers: SplitMix64
    private var loadCount: UInt64 = 0

    private struct Node {
        var served: Served
        var load: Task<Void, Never>
    }

    init(seed: UInt64) async throws {
        cluster = try await TestCluster(nodes: 3)
        numbers = SplitMix64(seed: seed)
        for site in cluster.sites { nodes.append(try await start(site)) }
    }

    var summary: String {
        let backend = cluster.backend
        return """
            \(ledger.requestCount) requests acknowledged, \(ledger.count) records and payloads, \
            \(backend.count) copies received, \(backend.revisedCount) of revisions, \
            \(ledger.images.count) uploads; 0 lost
            """
    }

    private func start(_ site: Site) async throws -> Node {
        let served = try await site.start()
        loadCount += 1
        let load = Load(client: site.client, ledgers: [ledger], number: loadCount)
        return Node(served: served, load: Task { await load.run() })
    }

    /// Kills a node some time after its start, and starts it again.
    func killOnce() async throws {
        try await Task.sleep(for: .milliseconds(.random(in: 50...1_500, using: &numbers)))
        let number = Int.random(in: nodes.indices, using: &numbers)
        await nodes[number].served.kill()
        nodes[number].load.cancel()
        await nodes[number].load.value
        nodes[number] = try await start(cluster.sites[number])
    }

    /// Pauses a node for longer than a lease, so that others adopt its lane. Afterwards it continues
    /// with another lane.
    func pauseOnce() async throws {
        let number = Int.random(in: nodes.indices, using: &numbers)
        nodes[number].served.pause()
        try await Task.sleep(for: TestCluster.lease + .seconds(6))
        nodes[number].served.resume()
        let client = cluster.sites[number].client
        #expect(
            await eventually { (try? await client.get("/readyz"))?.status == 200 },
            "a node that was paused accepts requests again")
        #expect(!nodes[number].served.hasEnded)
    }

    /// Ends the load, and checks that everything acknowledged arrived, each content under its own
    /// revision.
    func expectEverything() async throws {
        for node in nodes { node.load.cancel() }
        for node in nodes { await node.load.value }
        let backend = cluster.backend
        let known = Set(ledger.images)
        let crashes = ledger.crashes.filter { known.contains($0.key) }.flatMap(\.value)
        _ = await eventually {
            backend.missing(of: ledger.ids).isEmpty && ledger.uids.isSubset(of: backend.uids)
                && backend.rawOnes(of: crashes).isEmpty
        }
        #expect(backend.missing(of: ledger.ids) == [])
        #expect(ledger.uids.subtracting(backend.uids) == [])
        #expect(backend.rawOnes(of: crashes) == [], "symbols that were uploaded to any node")
        #expect(backend.conflicts == [])
        #expect(backend.damagedCount == 0)
        #expect(backend.ambiguous(of: ledger.diagnosticIDs) == [])
    }

    /// Stops all nodes, which finish what waits.
    func end() async throws {
        for node in nodes { #expect(await node.served.stop() == 0) }
        await cluster.end()
    }
}
