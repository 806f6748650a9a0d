import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Symbols for many diagnostics of several nodes", .ownThreads)
    struct ClusterSymbolTests {
        /// The number of diagnostics that wait; `SYMBOLIST_CLUSTER_WAITING` overrides it.
        private static let waitingCount = setting("SYMBOLIST_CLUSTER_WAITING") ?? 600

        @Test("each is sent once more, whichever nodes take them")
        func manyWaiting() async throws {
            let cluster = try await TestCluster(nodes: 3)
            let backend = cluster.backend
            let nodes = try await [
                cluster.sites[0].start(), cluster.sites[1].start(), cluster.sites[2].start(),
            ]
            let waiting = (0..<Self.waitingCount).map { "waiting \($0)" }
            for start in stride(from: 0, to: waiting.count, by: 100) {
                let records = waiting[start..<min(start + 100, waiting.count)].map {
                    Requests.crash($0, in: identity(1))
                }
                let client = cluster.sites[start / 100 % 3].client
                #expect(try await client.send(logs: Requests.logs(records)).status == 200)
            }
            #expect(await eventually { backend.missing(of: waiting).isEmpty })
            #expect(try await cluster.sites[0].client.upload(library(1)).status == 201)
            #expect(
                await eventually {
                    waiting.contains { backend.copies(of: $0).count > 1 }
                })
            let fresh = (0..<9).map { "fresh \($0)" }
            for (number, id) in fresh.enumerated() {
                let body = try Requests.logs([Requests.crash(id, in: identity(2))])
                #expect(
                    try await cluster.sites[number % 3].client.send(logs: body).status == 200)
            }
            #expect(
                await eventually(within: .seconds(90 + Self.waitingCount / 100)) {
                    waiting.allSatisfy { backend.copies(of: $0).count > 1 }
                })
            #expect(await eventually { backend.missing(of: fresh).isEmpty })
            for node in nodes { #expect(await node.stop() == 0) }
            let revisions = Set(waiting.map { backend.copies(of: $0).map(\.revision) })
            #expect(revisions == [[1, 2]])
            await cluster.end()
        }
    }
}
