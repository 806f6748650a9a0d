import Foundation
import Kafka
import KafkaSupport
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Several nodes with Kafka", .ownThreads)
    struct StreamTests {
        private static let topics = ["otlp_logs", "otlp_spans", "otlp_metrics"]

        private func settings(_ brokers: MockCluster) -> [String: String] {
            ["RECEIVE_KAFKA_BROKERS": brokers.brokers]
        }

        private func broker() throws -> MockCluster {
            let brokers = try MockCluster()
            for topic in Self.topics { try brokers.createTopic(topic, partitionCount: 4) }
            return brokers
        }

        /// Produces log records as another program would, one a message.
        private func produce(_ ids: [String], to broker: MockCluster) async throws {
            let producer = try Producer(KafkaSettings(brokers: broker.brokers))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids {
                    group.addTask {
                        try await producer.send(
                            OutgoingMessage(
                                topic: "otlp_logs", value: try Requests.logs([Requests.plain(id)])))
                    }
                }
                try await group.waitForAll()
            }
            await producer.close(within: .seconds(10))
        }

        @Test("all signals go through the topics, without a row in the database")
        func allSignals() async throws {
            let broker = try broker()
            let cluster = try await TestCluster(nodes: 1)
            var nodes: [Served] = []
            for site in cluster.sites {
                nodes.append(try await site.start(settings: settings(broker)))
            }
            let client = cluster.sites[0].client
            let type = "application/x-protobuf"
            try await client.deliver(logs: Requests.logs([Requests.plain("a")]))
            #expect(
                try await client.post("/v1/traces", Requests.spans(["b"]), type: type).status
                    == 200)
            #expect(
                try await client.post("/v1/metrics", Requests.gauges(["c"]), type: type).status
                    == 200)
            try await produce(["d"], to: broker)
            let backend = cluster.backend
            #expect(await eventually { backend.missing(of: ["a", "b", "c", "d"]).isEmpty })
            #expect(try await cluster.run("SELECT count(*) FROM entry") == 0)
            #expect(try await cluster.run("SELECT count(*) FROM diagnostic") == 0)
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }

        @Test("a crash whose symbols arrive later is sent again as revision 2")
        func lateSymbols() async throws {
            let broker = try broker()
            let cluster = try await TestCluster(nodes: 1)
            var nodes: [Served] = []
            for site in cluster.sites {
                nodes.append(try await site.start(settings: settings(broker)))
            }
            let client = cluster.sites[0].client
            let crash = try Requests.logs([Requests.crash("crash", in: identity(1))])
            try await client.deliver(logs: crash)
            let backend = cluster.backend
            #expect(await eventually { !backend.copies(of: "crash").isEmpty })
            #expect(try await cluster.run("SELECT count(*) FROM diagnostic") == 1)
            #expect(try await client.upload(library(1)).status == 201)
            #expect(await eventually { backend.rawOnes(of: ["crash"]).isEmpty })
            #expect(backend.copies(of: "crash").map(\.revision) == [1, 2])
            #expect(backend.ambiguous(of: ["crash"]).isEmpty)
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }

        @Test("a crash whose symbols are stored does not touch the database")
        func storedSymbols() async throws {
            let broker = try broker()
            let cluster = try await TestCluster(nodes: 1)
            let node = try await cluster.sites[0].start(settings: settings(broker))
            let client = cluster.sites[0].client
            for file in try Requests.orchardFiles() {
                #expect(try await client.upload(file).status == 201)
            }
            let crash = try Requests.fixtureCrash("crash")
            try await client.deliver(logs: crash)
            #expect(await eventually { !cluster.backend.copies(of: "crash").isEmpty })
            #expect(cluster.backend.copies(of: "crash").map(\.status) == ["symbolicated"])
            #expect(try await cluster.run("SELECT count(*) FROM diagnostic") == 0)
            #expect(try await cluster.run("SELECT count(*) FROM entry") == 0)
            #expect(await node.stop() == 0)
            await cluster.end()
        }

        @Test("when a node is killed, another one exports what it had not committed")
        func killed() async throws {
            let broker = try broker()
            let cluster = try await TestCluster(nodes: 2)
            let first = try await cluster.sites[0].start(settings: settings(broker))
            let second = try await cluster.sites[1].start(settings: settings(broker))
            let ids = (0..<2_000).map { "record \($0)" }
            let backend = cluster.backend
            try await produce(Array(ids[..<1_000]), to: broker)
            #expect(await eventually { backend.missing(of: ids[..<1_000]).count < 900 })
            await first.kill()
            try await produce(Array(ids[1_000...]), to: broker)
            #expect(await eventually(within: .seconds(180)) { backend.missing(of: ids).isEmpty })
            #expect(backend.conflicts.isEmpty)
            #expect(await second.stop() == 0)
            await cluster.end()
        }

        @Test("a message that is not a request is left out, and the next ones are exported")
        func garbage() async throws {
            let broker = try broker()
            let cluster = try await TestCluster(nodes: 1)
            let site = cluster.sites[0]
            let node = try await site.start(settings: settings(broker))
            let producer = try Producer(KafkaSettings(brokers: broker.brokers))
            for _ in 0..<8 {
                try await producer.send(
                    OutgoingMessage(topic: "otlp_logs", value: Array("{\"no\": 1}".utf8)))
            }
            await producer.close(within: .seconds(10))
            let ids = (0..<20).map { "after \($0)" }
            try await produce(ids, to: broker)
            #expect(await eventually { cluster.backend.missing(of: ids).isEmpty })
            #expect(await eventually { (try? Self.skippedCount(in: node.log)) == 8 })
            let metrics = try await site.client.get("/metrics")
            #expect(
                metrics.text
                    .contains("symbolist_kafka_refused_total 8"))
            #expect(await node.stop() == 0)
            await cluster.end()
        }

        /// Returns the number of messages that a log names as skipped.
        private static func skippedCount(in log: URL) throws -> Int {
            try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains("in protobuf, skipped: ") }
                .reduce(0) { count, line in
                    let messages = line.firstMatch(of: /\((\d+) messages\)/)
                    return count + (messages.flatMap { Int($0.1) } ?? 1)
                }
        }

        @Test("without a broker, requests get 503, and nothing acknowledged is lost")
        func brokerAway() async throws {
            let broker = try broker()
            let cluster = try await TestCluster(nodes: 1)
            let site = cluster.sites[0]
            let node = try await site.start(settings: settings(broker))
            var acknowledged: [String] = []
            func send(_ id: String) async throws -> Client.Reply {
                let reply = try await site.client.send(logs: Requests.logs([Requests.plain(id)]))
                if reply.status == 200 { acknowledged.append(id) }
                return reply
            }
            #expect(try await send("before").status == 200)
            try broker.setBroker(isUp: false)
            let refused = try await send("during")
            #expect(refused.status == 503)
            #expect(refused.retryAfter == "5")
            #expect(
                await eventually { (try? await site.client.get("/readyz"))?.status == 503 })
            try broker.setBroker(isUp: true)
            #expect(
                await eventually { (try? await site.client.get("/readyz"))?.status == 200 })
            #expect(await eventually { (try? await send("after"))?.status == 200 })
            #expect(await eventually { cluster.backend.missing(of: acknowledged).isEmpty })
            #expect(await node.stop() == 0)
            await cluster.end()
        }
    }
}
