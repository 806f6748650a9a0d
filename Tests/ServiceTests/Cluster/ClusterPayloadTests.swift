import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Payloads of several nodes", .ownThreads)
    struct ClusterPayloadTests {
        @Test("a payload that two nodes get at the same time is sent once")
        func once() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let (first, second) = (cluster.sites[0], cluster.sites[1])
            let nodes = try await [first.start(), second.start()]
            try await post(1, to: first)
            #expect(try await isEmpty(cluster))
            let count = cluster.backend.count
            #expect(count > 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for payload in UInt64(1)...10 {
                    for site in [first, second] {
                        group.addTask { try await post(payload, to: site) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await isEmpty(cluster))
            #expect(cluster.backend.count == 10 * count)
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }

        private func post(_ payload: UInt64, to site: Site) async throws {
            let reply = try await site.client.post(
                "/v1/metrickit", Requests.payload(payload), type: "application/json")
            #expect(reply.status == 202)
            #expect((try reply.object()["ids"] as? [String])?.count == 1)
        }

        /// Waits until nothing waits on any node.
        private func isEmpty(_ cluster: TestCluster) async throws -> Bool {
            await eventually {
                (try? await cluster.waitingCount(from: cluster.sites[0])) == 0
            }
        }
    }
}
