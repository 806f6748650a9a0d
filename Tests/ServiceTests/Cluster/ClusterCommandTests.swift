import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Commands on the database of nodes", .ownThreads)
    struct ClusterCommandTests {
        /// A cluster with a configuration file for commands.
        private struct Operated {
            let cluster: TestCluster
            let file: String
            private let command: CommandLineClient

            init(nodes count: Int) async throws {
                cluster = try await TestCluster(nodes: count)
                command = try CommandLineClient()
                file = try cluster.configurationFile(in: command.folder)
            }

            func run(_ arguments: String...) async throws -> CommandRun {
                try await command.start(arguments + ["--config", file]).end()
            }

            /// Runs a command on a machine where only the environment has the settings.
            func runWithoutFile(_ arguments: String...) async throws -> CommandRun {
                try await command.start(arguments, environment: cluster.environment).end()
            }

            /// Sends a record that takes about 4 KB of the queue.
            func send(_ id: String, to site: Site) async throws -> Client.Reply {
                let record = Requests.plain(id, body: Requests.noise(4_000))
                return try await site.client.send(logs: try Requests.logs([record]))
            }
        }

        @Test("the tables are made once, and shown with the nodes and what waits in their lanes")
        func tables() async throws {
            let operated = try await Operated(nodes: 1)
            let (cluster, site) = (operated.cluster, operated.cluster.sites[0])
            var status = try await operated.run("database", "status")
            #expect(status.status == 1)
            #expect(status.output.contains("tables: none, this program needs version "))
            #expect(status.problems.last?.contains("run symbolist database migrate") == true)
            let refused = try site.launch(settings: ["DATABASE_MIGRATE": "manual"])
            #expect(await refused.status == 1)

            for change in ["changed", "unchanged"] {
                let migration = try await operated.run("database", "migrate")
                #expect(migration.status == 0, "\(migration.problems)")
                #expect(migration.output.hasSuffix(", \(change)\n"), "\(migration.output)")
            }
            await cluster.backend.stop()
            let node = try await site.start(settings: ["DATABASE_MIGRATE": "manual"])
            #expect(try await operated.send("waiting", to: site).status == 200)
            status = try await operated.run("database", "status")
            #expect(status.status == 0)
            let bytes = try await cluster.run("SELECT total FROM lane") ?? 0
            let lines = status.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.contains("tables: version ") == true)
            #expect(lines.last?.hasPrefix("node node1 (") == true)
            #expect(
                lines.last?.hasSuffix(": lane 0: 1 requests wait, \(bytes) bytes") == true,
                "\(status.output)")
            try await cluster.backend.start()
            #expect(await node.stop() == 0)

            try await cluster.run("UPDATE cluster SET schema = schema + 1, oldest = schema + 1")
            status = try await operated.run("database", "status")
            #expect(status.status == 1)
            #expect(status.problems.last?.contains("install a later version") == true)
            #expect(try await operated.run("database", "migrate").status == 1)
            await cluster.end()
        }

        @Test("what waits for a removed exporter is listed, refuses requests, and can be dropped")
        func removedExporter() async throws {
            let operated = try await Operated(nodes: 2)
            let (cluster, sites) = (operated.cluster, operated.cluster.sites)
            let old = Site.exporter(1, url: "http://127.0.0.1:\(try freePort())", name: "old")
            let first = try await sites[0].start(settings: old)
            let second = try await sites[1].start(settings: old)
            let ids = (0..<5).map { "record \($0)" }
            for (number, id) in ids.enumerated() {
                #expect(try await operated.send(id, to: sites[number % 2]).status == 200)
            }
            #expect(await eventually { cluster.backend.missing(of: ids).isEmpty })
            async let status = first.stop()
            #expect(await second.stop() == 0)
            #expect(await status == 0)

            let node = try sites[0].launch(settings: ["CLUSTER_QUEUE_BYTES": "16KiB"])
            let isStarted = await eventually {
                (try? await sites[0].client.get("/healthz"))?.status == 200
            }
            #expect(isStarted)
            let log = try String(contentsOf: node.log, encoding: .utf8)
            let advice = "'symbolist exporters drop old --config FILE'"
            #expect(log.contains(advice))
            let refusal = try await operated.send("refused", to: sites[0])
            #expect(refusal.status == 503)
            let reason = refusal.text
            #expect(reason.contains("they wait for 'old', which is not configured"), "\(reason)")
            #expect(reason.contains(advice), "\(reason)")
            try await expectBacklog(of: ids.count, in: operated)

            let list = try await operated.runWithoutFile("exporters", "list")
            #expect(list.output.contains("old"), "\(list.problems)")

            let drop = try await operated.run("exporters", "drop", "old", "unknown")
            #expect(drop.status == 1)
            #expect(drop.output == "old: 5 requests and 0 dead letters dropped\n")
            #expect(drop.problems.first?.hasPrefix("exporter 'unknown': not found") == true)
            #expect(try await operated.run("exporters", "drop", "old").status == 3)
            let isAccepted = await eventually {
                (try? await operated.send("accepted", to: sites[0]))?.status == 200
            }
            #expect(isAccepted)
            #expect(await eventually { !cluster.backend.copies(of: "accepted").isEmpty })
            #expect(await node.stop() == 0)
            await cluster.end()
        }

        /// Checks the list of exporters: `old` has a backlog in all lanes, and the other one has none.
        private func expectBacklog(of count: Int, in operated: Operated) async throws {
            let list = try await operated.run("exporters", "list", "--json")
            #expect(list.status == 0)
            let exporters = try #require(try list.object()["exporters"] as? [[String: Any]])
            #expect(exporters.map { $0["name"] as? String } == ["backend0", "old"])
            #expect(exporters.map { $0["requests"] as? Int } == [0, count])
            let bytes = try await operated.cluster.run("SELECT sum(total)::int8 FROM lane")
            #expect(exporters.map { $0["bytes"] as? Int } == [0, bytes.map(Int.init)])
            #expect(exporters.map { $0["dead_letters"] as? Int } == [0, 0])
            #expect(exporters.map { $0["oldest"] is String } == [false, true])
        }
    }
}
