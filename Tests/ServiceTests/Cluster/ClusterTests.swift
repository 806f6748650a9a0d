import CallStacks
import Foundation
import PostgreSQLSupport
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Several nodes", .ownThreads)
    struct ClusterTests {
        /// The number of kills; `SYMBOLIST_CLUSTER_KILL_ROUNDS` overrides it.
        private static let rounds = setting("SYMBOLIST_CLUSTER_KILL_ROUNDS") ?? 5
        /// The number of kills behind a pooler; `SYMBOLIST_POOLER_KILL_ROUNDS` overrides it.
        private static let poolerRounds = setting("SYMBOLIST_POOLER_KILL_ROUNDS") ?? 2
        /// The seed for the moments; `SYMBOLIST_KILL_SEED` overrides it.
        private static let seed = UInt64(setting("SYMBOLIST_KILL_SEED") ?? 1)

        @Test("they lose nothing acknowledged when they are killed or paused")
        func losesNothing() async throws {
            let trial = try await ClusterKillTrial(
                in: try await TestCluster(nodes: 3), seed: Self.seed)
            for round in 1...Self.rounds {
                try await trial.killOnce()
                if round % 5 == 0 { try await trial.pauseOnce() }
            }
            await trial.expectEverything()
            try await trial.end()
            print("kills: seed \(Self.seed), \(Self.rounds) rounds: \(trial.summary)")
        }

        @Test("they lose nothing behind a transaction pooler when they are killed")
        func behindPooler() async throws {
            let cluster = try await TestCluster(nodes: 3)
            let pooler = try TestPooler(of: cluster.database, connections: 8)
            let trial = try await ClusterKillTrial(
                in: cluster, seed: Self.seed,
                settings: ["DATABASE_URL": pooler.url(database: cluster.name)])
            for _ in 1...Self.poolerRounds { try await trial.killOnce() }
            await trial.expectEverything()
            try await trial.end()
            print("kills behind a pooler: \(Self.poolerRounds) rounds: \(trial.summary)")
        }

        @Test("symbols uploaded to one node symbolicate the crashes of all, once more each")
        func symbolsForAll() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let nodes = try await [cluster.sites[0].start(), cluster.sites[1].start()]
            for (number, site) in cluster.sites.enumerated() {
                let crash = Requests.crash("crash\(number)", in: identity(1))
                let reply = try await site.client.send(logs: try Requests.logs([crash]))
                #expect(reply.status == 200)
            }
            let ids = ["crash0", "crash1"]
            let backend = cluster.backend
            #expect(await eventually { backend.missing(of: ids).isEmpty })
            #expect(backend.rawOnes(of: ids) == Set(ids))
            #expect(try await cluster.sites[0].client.upload(library(1)).status == 201)
            #expect(await eventually { backend.rawOnes(of: ids).isEmpty })
            for id in ids {
                #expect(backend.copies(of: id).map(\.revision) == [1, 2], "\(id)")
            }
            for (number, site) in cluster.sites.enumerated() {
                let id = "later\(number)"
                let crash = Requests.crash(id, in: identity(1))
                _ = try await site.client.send(logs: try Requests.logs([crash]))
                #expect(await eventually { !backend.copies(of: id).isEmpty })
                #expect(backend.copies(of: id).map(\.status) == ["symbolicated"], "\(id)")
            }
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }

        @Test("archived diagnostics are shown by all nodes, and sent again when symbols arrive")
        func archived() async throws {
            let cluster = try await TestCluster(nodes: 2)
            var nodes: [Served] = []
            for site in cluster.sites {
                nodes.append(try await site.start(settings: ["ARCHIVE_DELAY": "1s"]))
            }
            let crash = Requests.crash("crash", in: identity(1))
            let reply = try await cluster.sites[0].client.send(logs: try Requests.logs([crash]))
            #expect(reply.status == 200)
            #expect(await eventually { !cluster.backend.copies(of: "crash").isEmpty })
            #expect(
                await eventually { (try? await cluster.run("SELECT count(*) FROM archive")) == 1 })
            try await cluster.run("UPDATE cluster SET bucket_start = now() - interval '1 hour'")
            #expect(
                await eventually { (try? await cluster.run("SELECT count(*) FROM entry")) == 0 })
            let list = try await cluster.sites[1].client.get("/v1/diagnostics").object()
            let found = try #require((list["diagnostics"] as? [[String: Any]])?.first)
            let id = try #require(found["id"] as? String)
            for site in cluster.sites {
                let shown = try await site.client.get("/v1/diagnostics/\(id)?format=json")
                #expect(shown.status == 200)
                #expect(shown.text.contains("frames"))
            }
            #expect(try await cluster.sites[1].client.upload(library(1)).status == 201)
            let backend = cluster.backend
            #expect(await eventually { backend.rawOnes(of: ["crash"]).isEmpty })
            #expect(backend.copies(of: "crash").map(\.revision) == [1, 2])
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }

        @Test("what a receiver refuses of an adopted lane is put aside once, and ends the lane")
        func refusedOfAdopted() async throws {
            let mark = Array("poison".utf8)
            let cluster = try await TestCluster(nodes: 2) { body in
                body.indices.contains { body[$0...].starts(with: mark) }
            }
            let (first, second) = (cluster.sites[0], cluster.sites[1])
            await cluster.backend.stop()
            let killed = try await first.start()
            for id in ["good", "also good", "poison"] {
                let record = Requests.plain(id, body: Data(id.utf8))
                let reply = try await first.client.send(logs: try Requests.logs([record]))
                #expect(reply.status == 200)
            }
            await killed.kill()
            let node = try await second.start()
            let own = try Requests.logs([Requests.plain("own")])
            try await second.client.deliver(logs: own)
            try await cluster.backend.start()
            #expect(await eventually { (try? await cluster.waitingCount(from: second)) == 0 })
            #expect(cluster.backend.missing(of: ["good", "also good", "own"]) == [])
            let letters = try await second.client.get("/v1/dead-letters").object()
            #expect((letters["dead_letters"] as? [Any])?.count == 1, "\(letters)")
            #expect(await node.stop() == 0)
            await cluster.end()
        }
    }
}
