import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Lanes of killed nodes", .ownThreads)
    struct LaneAdoptionTests {
        @Test("a lane that cannot be finished does not hold up the others")
        func heldUp() async throws {
            let cluster = try await TestCluster(nodes: 3)
            let backend = cluster.backend
            await backend.stop()
            let killed = try await [cluster.sites[0].start(), cluster.sites[1].start()]
            for (site, id) in zip(cluster.sites, ["stuck", "free"]) {
                let body = try Requests.logs([Requests.plain(id)])
                try await site.client.deliver(logs: body)
            }
            for node in killed { await node.kill() }
            backend.stall(on: "stuck")
            try await backend.start()
            let node = try await cluster.sites[2].start()
            #expect(await eventually { !backend.copies(of: "free").isEmpty })
            #expect(backend.copies(of: "stuck").isEmpty)
            backend.stall(on: nil)
            #expect(await eventually { !backend.copies(of: "stuck").isEmpty })
            #expect(await node.stop() == 0)
            await cluster.end()
        }
    }
}
