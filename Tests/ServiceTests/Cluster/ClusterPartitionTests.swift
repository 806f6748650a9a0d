import PostgreSQLSupport
import ProxySupport
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes that cannot reach the database", .ownThreads)
    struct ClusterPartitionTests {
        @Test("a node that cannot reach the database sends nothing while another has its lane")
        func partition() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let proxy = try await TCPProxy(
                to: .socket(path: cluster.database.socketPath))
            let cutOff = try await cluster.sites[0].start(
                settings: ["DATABASE_URL": cluster.url(through: proxy.port)])
            let other = try await cluster.sites[1].start()
            let (client, backend) = (cluster.sites[0].client, cluster.backend)
            await backend.stop()
            func body(_ id: String) throws -> [UInt8] { try Requests.logs([Requests.plain(id)]) }
            try await client.deliver(logs: body("waiting"))
            proxy.fault = .halfOpen
            let request = try body("refused")
            async let refusal = client.send(logs: request)
            // After two thirds of a lease the node may send nothing.
            try await Task.sleep(for: TestCluster.lease)
            try await backend.start()
            #expect(await eventually { !backend.copies(of: "waiting").isEmpty })
            proxy.fault = nil
            #expect(try await refusal.status == 503)
            let isBack = await eventually {
                (try? await client.send(logs: try body("after")))?.status == 200
            }
            #expect(isBack)
            #expect(await eventually { !backend.copies(of: "after").isEmpty })
            #expect(backend.copies(of: "waiting").count == 1)
            #expect(backend.copies(of: "refused").isEmpty)
            for node in [cutOff, other] { #expect(await node.stop() == 0) }
            await cluster.end()
            try await proxy.close()
        }
    }
}
