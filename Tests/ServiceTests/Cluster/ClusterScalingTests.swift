import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes that come and go", .ownThreads)
    struct ClusterScalingTests {
        @Test("one node becomes four and then two under load, and everything is sent once")
        func scaling() async throws {
            let cluster = try await TestCluster(nodes: 4)
            let ledger = Ledger()
            func start(_ number: Int) async throws -> LoadedNode {
                try await .start(
                    cluster.sites[number], recordingIn: ledger, number: UInt64(number) + 1)
            }
            let first = try await start(0)
            try await Task.sleep(for: .seconds(1))
            let others = try await withThrowingTaskGroup(of: LoadedNode.self) { group in
                for number in 1...3 { group.addTask { try await start(number) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await Task.sleep(for: .seconds(1))
            for node in [first, others[0]] {
                #expect(await node.served.stop() == 0)
                await node.endLoad()
            }
            try await Task.sleep(for: .seconds(1))
            for node in others.dropFirst() { await node.endLoad() }
            await cluster.expectEverything(of: ledger)
            #expect(cluster.backend.repeated(of: ledger.ids) == [])
            let site = others[1].site
            let isEmpty = await eventually(within: .seconds(30)) {
                (try? await cluster.waitingCount(from: site)) == 0
            }
            #expect(isEmpty)
            for node in others.dropFirst() { #expect(await node.served.stop() == 0) }
            await cluster.end()
            print("scaling: \(cluster.summary(of: ledger))")
        }
    }
}
