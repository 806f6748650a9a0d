import Synchronization
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Symbols for many diagnostics of several nodes", .ownThreads)
    struct ClusterSymbolTests {
        /// The number of diagnostics that wait in the long form of the test, which also measures
        /// rates.
        private static let longCount = setting("SYMBOLIST_CLUSTER_WAITING")
        private static let waitingCount = longCount ?? 600
        private static let patience = Duration.seconds(90 + waitingCount / 20)

        @Test("each is sent once more, whichever nodes take them, and new ones are sent meanwhile")
        func manyWaiting() async throws {
            let cluster = try await TestCluster(nodes: 3)
            let backend = cluster.backend
            let nodes = try await Self.start(cluster)
            let waiting = (0..<Self.waitingCount).map { "waiting \($0)" }
            try await Self.send(waiting, to: cluster)
            let arrivals = Arrivals(sendersPerNode: Self.longCount == nil ? 4 : 40)
            let sending = Task { await arrivals.send(to: cluster) }
            let before = try await Self.rateWithoutRevisions(backend)
            #expect(try await cluster.sites[0].client.upload(library(1)).status == 201)
            let during = await Self.rateDuringRevisions(backend)
            sending.cancel()
            await sending.value
            #expect(
                await eventually(within: Self.patience) {
                    backend.missing(of: arrivals.ids).isEmpty
                })
            for node in nodes { #expect(await node.stop() == 0) }
            let revisions = Set(waiting.map { backend.copies(of: $0).map(\.revision) })
            #expect(revisions == [[1, 2]])
            print("symbols: \(Int(before)) new records per second before, \(Int(during)) during")
            if Self.longCount != nil { #expect(during >= before / 2) }
            await cluster.end()
        }

        /// Starts the nodes. A request of theirs may take long: nothing is sent twice because the
        /// backend, which shares the machine, is slower than three nodes.
        private static func start(_ cluster: TestCluster) async throws -> [Served] {
            var nodes: [Served] = []
            for site in cluster.sites {
                nodes.append(try await site.start(settings: ["EXPORT_0_TIMEOUT": "600s"]))
            }
            return nodes
        }

        /// Sends diagnostics without symbols to all nodes in turn, and waits for them to be exported.
        private static func send(_ ids: [String], to cluster: TestCluster) async throws {
            for start in stride(from: 0, to: ids.count, by: 100) {
                let records = ids[start..<min(start + 100, ids.count)].map {
                    Requests.crash($0, in: identity(1))
                }
                let client = cluster.sites[start / 100 % 3].client
                try await client.deliver(logs: Requests.logs(records))
            }
            #expect(await eventually { cluster.backend.missing(of: ids).isEmpty })
        }

        /// Measures for long enough to compare rates, or until some records have arrived.
        private static func rateWithoutRevisions(_ backend: Backend) async throws -> Double {
            let rate = ArrivalRate(of: backend)
            #expect(await eventually { rate.count >= 30 })
            guard longCount != nil else { return rate.perSecond }
            let steady = ArrivalRate(of: backend)
            try await Task.sleep(for: .seconds(20))
            return steady.perSecond
        }

        /// Measures from the first revision to the last one.
        private static func rateDuringRevisions(_ backend: Backend) async -> Double {
            #expect(await eventually { backend.revisedCount > 0 })
            let rate = ArrivalRate(of: backend)
            #expect(
                await eventually(within: patience) {
                    backend.revisedCount >= waitingCount
                })
            return rate.perSecond
        }
    }
}

/// The rate at which a backend receives new records, since a moment.
private struct ArrivalRate {
    private let backend: Backend
    private let firstCount: Int
    private let start = ContinuousClock.now

    init(of backend: Backend) {
        self.backend = backend
        firstCount = backend.newCount
    }

    var count: Int { backend.newCount - firstCount }

    var perSecond: Double { Double(count) / ((ContinuousClock.now - start) / .seconds(1)) }
}

extension Backend {
    /// The number of received records, spans and metrics that are not revisions.
    fileprivate var newCount: Int { count - revisedCount }
}

/// Crashes without symbols that all nodes get as fast as they accept them.
private final class Arrivals: Sendable {
    private let acknowledged = Mutex<[String]>([])
    private let sendersPerNode: Int

    init(sendersPerNode: Int) { self.sendersPerNode = sendersPerNode }

    /// The acknowledged ones.
    var ids: [String] { acknowledged.withLock(\.self) }

    /// Sends until the task is cancelled.
    func send(to cluster: TestCluster) async {
        await withTaskGroup(of: Void.self) { group in
            for (node, site) in cluster.sites.enumerated() {
                for sender in 0..<sendersPerNode {
                    group.addTask { await self.send("new \(node)-\(sender)", to: site.client) }
                }
            }
        }
    }

    private func send(_ name: String, to client: Client) async {
        var count = 0
        while !Task.isCancelled {
            count += 1
            let id = "\(name)-\(count)"
            let body = try? Requests.logs([Requests.crash(id, in: identity(2))])
            guard let body, let reply = try? await client.send(logs: body) else { return }
            if reply.status == 200 { acknowledged.withLock { $0.append(id) } }
        }
    }
}
