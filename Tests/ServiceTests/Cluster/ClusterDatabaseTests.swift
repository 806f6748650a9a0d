import PostgreSQLSupport
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes whose database fails", .ownThreads)
    struct ClusterDatabaseTests {
        /// The number of kills; `SYMBOLIST_DATABASE_KILL_ROUNDS` overrides it.
        private static let rounds = setting("SYMBOLIST_DATABASE_KILL_ROUNDS") ?? 2

        @Test("they lose nothing acknowledged when the server is killed under load")
        func killed() async throws {
            let cluster = try await TestCluster(nodes: 2, database: TestServer())
            let ledger = Ledger()
            var nodes: [LoadedNode] = []
            for (number, site) in cluster.sites.enumerated() {
                nodes.append(
                    try await .start(site, recordingIn: ledger, number: UInt64(number) + 1))
            }
            for _ in 1...Self.rounds {
                let count = ledger.requestCount
                #expect(await eventually { ledger.requestCount > count + 20 })
                try cluster.database.kill()
                try await Task.sleep(for: .milliseconds(300))
                try cluster.database.start()
            }
            let count = ledger.requestCount
            #expect(await eventually { ledger.requestCount > count + 20 })
            for node in nodes { await node.endLoad() }
            await cluster.expectEverything(of: ledger)
            for node in nodes { #expect(await node.served.stop() == 0) }
            await cluster.end()
            print("database killed: \(Self.rounds) times: \(cluster.summary(of: ledger))")
        }

        @Test("a node stops soon while the server is away, and loses nothing acknowledged")
        func stopWithoutServer() async throws {
            let cluster = try await TestCluster(nodes: 1, database: TestServer())
            let ledger = Ledger()
            let node = try await LoadedNode.start(
                cluster.sites[0], recordingIn: ledger, number: 1)
            #expect(await eventually { ledger.requestCount > 20 })
            try cluster.database.kill()
            let start = ContinuousClock.now
            #expect(await node.served.stop() == 1)
            // Without the server, the service group would wait for 30 seconds.
            #expect(start.duration(to: .now) < .seconds(25))
            await node.endLoad()
            try cluster.database.start()
            let next = try await cluster.sites[0].start()
            await cluster.expectEverything(of: ledger)
            #expect(await next.stop() == 0)
            await cluster.end()
        }

        @Test("they refuse requests until a replica becomes the primary, and lose nothing")
        func failover() async throws {
            let primary = try TestServer()
            let replica = try TestServer(replicaOf: primary)
            try primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            try primary.execute("SELECT pg_reload_conf()")
            let cluster = try await TestCluster(nodes: 2, database: primary)
            let settings = ["DATABASE_URL": cluster.url(on: [primary, replica])]
            let ledger = Ledger()
            var nodes: [LoadedNode] = []
            for (number, site) in cluster.sites.enumerated() {
                nodes.append(
                    try await .start(
                        site, recordingIn: ledger, number: UInt64(number) + 1, settings: settings))
            }
            #expect(await eventually { ledger.requestCount > 20 })
            try primary.kill()
            // A replica is there, but it does not accept writes.
            let refused = try await cluster.sites[0].client.send(
                logs: try Requests.logs([Requests.plain("refused")]))
            #expect(refused.status == 503)
            #expect(refused.retryAfter != nil)
            try replica.promote()
            let count = ledger.requestCount
            #expect(await eventually { ledger.requestCount > count + 20 })
            for node in nodes { await node.endLoad() }
            await cluster.expectEverything(of: ledger)
            #expect(cluster.backend.copies(of: "refused").isEmpty)
            for node in nodes { #expect(await node.served.stop() == 0) }
            await cluster.end()
        }

        @Test("they refuse requests while the primary is read-only, and continue when it is not")
        func readOnly() async throws {
            let cluster = try await TestCluster(nodes: 2, database: TestServer())
            let ledger = Ledger()
            var nodes: [LoadedNode] = []
            for (number, site) in cluster.sites.enumerated() {
                nodes.append(
                    try await .start(site, recordingIn: ledger, number: UInt64(number) + 1))
            }
            #expect(await eventually { ledger.requestCount > 20 })
            func set(_ value: String) throws {
                try cluster.database.execute(
                    "ALTER SYSTEM SET default_transaction_read_only = \(value)")
                try cluster.database.execute("SELECT pg_reload_conf()")
            }
            try set("on")
            for site in cluster.sites {
                let body = try Requests.logs([Requests.plain("probe")])
                var reply: Client.Reply?
                let isRefused = await eventually {
                    reply = try? await site.client.send(logs: body)
                    return reply?.status == 503
                }
                #expect(isRefused)
                #expect(reply?.retryAfter != nil)
                let reason = String(decoding: reply?.body ?? [], as: UTF8.self)
                #expect(reason.contains("database: "), "\(reason)")
            }
            let refused = try Requests.logs([Requests.plain("refused")])
            for site in cluster.sites {
                #expect(try await site.client.send(logs: refused).status == 503)
                #expect(try await site.client.upload(library(0xffff)).status == 503)
            }
            try set("off")
            let count = ledger.requestCount
            #expect(await eventually { ledger.requestCount > count + 20 })
            for node in nodes { await node.endLoad() }
            await cluster.expectEverything(of: ledger)
            #expect(cluster.backend.copies(of: "refused").isEmpty)
            for node in nodes { #expect(await node.served.stop() == 0) }
            await cluster.end()
        }
    }
}
