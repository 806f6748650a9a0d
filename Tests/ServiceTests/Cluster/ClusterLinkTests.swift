import PostgreSQLSupport
import ProxySupport
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes behind a slow connection to the database", .ownThreads)
    struct ClusterLinkTests {
        @Test(
            "a node loses nothing acknowledged, and continues",
            arguments: [
                TCPProxy.Fault.delayed(.milliseconds(50)), .throttled(bytesPerSecond: 50_000),
            ])
        func slowLink(_ fault: TCPProxy.Fault) async throws {
            let cluster = try await TestCluster(nodes: 1)
            let proxy = try await TCPProxy(to: .socket(path: cluster.database.socketPath))
            let ledger = Ledger()
            let node = try await LoadedNode.start(
                cluster.sites[0], recordingIn: ledger, number: 1,
                settings: ["DATABASE_URL": cluster.url(through: proxy.port)])
            for fault in [fault, nil] {
                proxy.fault = fault
                let count = ledger.requestCount
                #expect(await eventually { ledger.requestCount > count + 40 })
            }
            #expect(!node.served.hasEnded)
            await node.endLoad()
            await cluster.expectEverything(of: ledger)
            #expect(await node.served.stop() == 0)
            await cluster.end()
            try await proxy.close()
        }
    }
}
