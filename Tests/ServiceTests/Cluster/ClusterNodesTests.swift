import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("The list of nodes", .ownThreads)
    struct ClusterNodesTests {
        private struct List: Decodable, Equatable {
            struct Node: Decodable, Equatable {
                var name: String
                var version: String
                var last_seen_at: String
                var lanes: [Lane]
            }

            struct Lane: Decodable, Equatable {
                var lane: Int
                var waiting_requests: Int
                var waiting_bytes: Int64
            }

            var nodes: [Node]
            var lanes_without_node: [Lane]
        }

        private func list(_ site: Site) async throws -> List {
            let reply = try await site.client.get("/v1/nodes")
            #expect(reply.status == 200)
            return try JSONDecoder().decode(List.self, from: Data(reply.body))
        }

        @Test("it has the lane and the backlog of each node, and lanes that their nodes have left")
        func fields() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let (first, second) = (cluster.sites[0], cluster.sites[1])
            await cluster.backend.stop()
            let killed = try await first.start()
            // A node with another exporter cannot finish what the first one has left.
            let node = try await second.start(settings: ["EXPORT_0_NAME": "other"])
            for id in ["a", "b"] {
                let body = try Requests.logs([Requests.plain(id)])
                try await first.client.deliver(logs: body)
            }
            let bytes = try #require(try await cluster.run("SELECT total FROM lane WHERE id = 0"))
            let waiting = List.Lane(lane: 0, waiting_requests: 2, waiting_bytes: bytes)
            let empty = List.Lane(lane: 1, waiting_requests: 0, waiting_bytes: 0)
            for site in cluster.sites {
                let list = try await list(site)
                #expect(list.nodes.map(\.name) == ["node1", "node2"])
                #expect(list.nodes.map(\.lanes) == [[waiting], [empty]])
                #expect(list.lanes_without_node == [])
                try await expectVersionAndTime(of: list)
            }

            await killed.kill()
            let isLeft = await eventually {
                (try? await list(second))?.lanes_without_node == [waiting]
            }
            #expect(isLeft)
            let left = try await list(second)
            #expect(left.nodes.map(\.name) == ["node1", "node2"])
            #expect(left.nodes.map(\.lanes) == [[], [empty]])
            let times = left.nodes.map(\.last_seen_at)
            #expect(times[0] < times[1])
            #expect(await node.stop() == 0)
            await cluster.end()
        }

        private func expectVersionAndTime(of list: List) async throws {
            let version = try await CommandLineClient().run("--version").output
            for node in list.nodes {
                #expect(!node.version.isEmpty && version.contains(node.version), "\(version)")
                let seen = try #require(
                    try? Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                        .parse(node.last_seen_at), "\(node.last_seen_at)")
                #expect(abs(seen.timeIntervalSinceNow) < 60)
            }
        }
    }
}
