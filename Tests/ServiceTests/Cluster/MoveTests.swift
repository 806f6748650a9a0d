import EmbeddedDatabase
import Foundation
import PostgreSQLSupport
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Moving a data folder to several nodes", .ownThreads)
    struct MoveTests {
        /// The seed for the moments of kills; `SYMBOLIST_KILL_SEED` overrides it.
        private static let seed =
            ProcessInfo.processInfo.environment["SYMBOLIST_KILL_SEED"].flatMap { UInt64($0) } ?? 1

        @Test("a node answers as the embedded service did, and continues its work")
        func continues() async throws {
            let trial = try await MoveTrial()
            try await trial.fillFolder()
            let run = try await trial.move()
            #expect(run.status == 0, "\(run.problems)")
            #expect(run.output.contains("moved to"), "\(run.output)")
            try await trial.expectSameOnNode()
            try await trial.end()
        }

        @Test("a move that is killed at any moment is continued, without loss or doubling")
        func killed() async throws {
            let trial = try await MoveTrial()
            try await trial.fillFolder()
            var numbers = SplitMix64(seed: Self.seed)
            var ended = false
            for _ in 0..<6 where !ended {
                ended = try await trial.moveKilled(
                    after: .milliseconds(.random(in: 100...900, using: &numbers)))
            }
            let run = try await trial.move()
            #expect(run.status == 0, "seed \(Self.seed): \(run.problems)")
            try await trial.expectSameOnNode()
            try await trial.end()
        }

        @Test("what cannot be moved is refused, and says why")
        func refusals() async throws {
            let cluster = try await TestCluster(nodes: 1)
            let command = try CommandLineClient(cluster.environment)
            let empty = try TestFolder()
            let nothing = try await command.run("move", empty.path)
            #expect(nothing.status == 3)
            #expect(nothing.problems.first?.contains("contains no symbolist.sqlite") == true)

            let site = try Site(exports: [])
            let embedded = try await site.start()
            let inUse = try await command.run("move", site.data.path)
            #expect(inUse.status == 1)
            #expect(
                inUse.problems.first?.contains("is in use by another process") == true,
                "\(inUse.problems)")
            #expect(await embedded.stop() == 0)

            let without = try await CommandLineClient().run("move", site.data.path)
            #expect(without.status == 2)
            #expect(
                without.problems == [
                    "database.url: is not set: use the configuration of a node, with --config"
                ])
            let wrong = try await command.run(
                "move", site.data.path,
                environment: ["SYMBOLIST_BLOBS_ENDPOINT": "http://127.0.0.1:9"])
            #expect(wrong.status == 1)
            #expect(
                !FileManager.default.fileExists(atPath: site.data.path + "/symbolist.moved"),
                "a folder is not marked while the bucket does not answer")

            #expect(try await command.run("move", site.data.path).status == 0)
            let again = try await command.run("move", site.data.path)
            #expect(again.status == 0)
            #expect(again.output.contains("was already moved to"), "\(again.output)")
            let refused = try site.launch()
            #expect(await refused.status == 1)
            let log = try String(contentsOf: refused.log, encoding: .utf8)
            #expect(log.contains("was moved to"), "\(log)")

            try cluster.database.execute(
                "UPDATE cluster SET oldest = 99", database: cluster.name)
            let later = try Site(exports: [])
            try await EmbeddedDatabase(folder: later.data.path).close()
            let newer = try await command.run("move", later.data.path)
            #expect(newer.status == 1)
            #expect(
                newer.problems.first?.contains("install a later version of symbolist") == true,
                "\(newer.problems)")
            await cluster.end()
        }
    }
}
