import Exporting
import Foundation
import Ingest
import Kafka
import KafkaSupport
import OTLP
import Synchronization
import TestSupport
import Testing

@Suite("Exporting to Kafka")
struct KafkaExporterTests {
    private static let topics = SignalTable(
        logs: "otlp_logs", traces: "otlp_spans", metrics: "otlp_metrics")

    private func withKafka<Result: Sendable>(
        _ brokers: String, timeout: Duration = .seconds(60),
        use: @escaping @Sendable (any Exporter) async throws -> Result
    ) async throws -> Result {
        try await withExporter(
            .kafka,
            {
                $0.kafka = KafkaTarget(
                    connection: KafkaSettings(brokers: brokers), topics: Self.topics)
                $0.timeout = timeout
            }, use: use)
    }

    @Test("each signal arrives in its topic, as the request that was exported")
    func delivered() async throws {
        let cluster = try MockCluster()
        for topic in Self.topics.values { try cluster.createTopic(topic, partitionCount: 1) }
        let batches = [
            Records.logs(["a", "b"]), Records.spans(["c"]), Records.metrics(["d"]),
        ]
        let received = ReceivedMessages()
        let consumer = try Consumer(
            KafkaSettings(brokers: cluster.brokers),
            ConsumerSettings(
                group: "test", topics: Self.topics.values.sorted(), headerName: "app"),
            handler: received)
        try await withKafka(cluster.brokers) { exporter in
            for batch in batches {
                let outcome = await exporter.send(batch)
                #expect(outcome == .accepted(rejectedCount: 0, message: ""))
            }
        }
        #expect(await eventually { received.count == 3 })
        for batch in batches {
            #expect(received.values(of: Self.topics[batch.signal] ?? "") == [batch.body])
        }
        await consumer.close()
    }

    @Test("a message that the brokers refuse for its size is refused for its content")
    func tooLarge() async throws {
        let cluster = try MockCluster()
        // MSG_SIZE_TOO_LARGE for Produce.
        try cluster.failRequests(0, with: [10])
        let outcome = try await withKafka(cluster.brokers) {
            await $0.send(Records.logs(["a"]))
        }
        let reason = """
            kafka \(cluster.brokers): topic 'otlp_logs': Broker: Message size too large: raise \
            'max.message.bytes' of the topic, or reduce batch.bytes
            """
        #expect(outcome == .refused(reason: reason, isForContent: true))
    }

    @Test("a topic without rights is refused, but not for the content")
    func unauthorized() async throws {
        let cluster = try MockCluster()
        try cluster.failRequests(0, with: [29])
        let outcome = try await withKafka(cluster.brokers) {
            await $0.send(Records.logs(["a"]))
        }
        let reason = """
            kafka \(cluster.brokers): topic 'otlp_logs': Broker: Topic authorization failed: \
            check the user, its password and its rights on the topic
            """
        #expect(outcome == .refused(reason: reason, isForContent: false))
    }

    @Test("without a broker, a batch is sent again later")
    func unreachable() async throws {
        let brokers = "127.0.0.1:\(try freePort())"
        let outcome = try await withKafka(brokers, timeout: .milliseconds(300)) {
            await $0.send(Records.logs(["a"]))
        }
        guard case .retry(let reason, nil) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.hasPrefix("kafka \(brokers): topic 'otlp_logs': no acknowledgement within"))
        #expect(reason.hasSuffix("check that the brokers run and can be reached"))
    }

    @Test("a missing password file is an error that names it")
    func noPassword() throws {
        var settings = ExporterSettings(kind: .kafka, name: "kafka")
        var connection = KafkaSettings(brokers: "kafka:9092")
        connection.security = .saslPlaintext
        connection.user = "symbolist"
        connection.passwordFile = "/no/such/file"
        settings.kafka = KafkaTarget(connection: connection, topics: Self.topics)
        let error = #expect(throws: ExporterSettingsError.self) {
            try settings.exporter(key: "export[0]")
        }
        #expect(
            error.map { "\($0)" }
                == "export[0]: /no/such/file: cannot be read: No such file or directory: "
                + "check sasl.password_file")
    }
}

/// The messages of a consumer, which finish at once.
private final class ReceivedMessages: ConsumerHandler {
    private let messages = Mutex<[ConsumedMessage]>([])

    var count: Int { messages.withLock { $0.count } }

    func values(of topic: String) -> [[UInt8]] {
        messages.withLock { messages in
            messages.filter { $0.position.partition.topic == topic }.map(\.value)
        }
    }

    var hasCapacity: Bool { true }
    func received(_ message: ConsumedMessage) { messages.withLock { $0.append(message) } }
    func assigned(_: Set<TopicPartition>) {}
    func revoked(_: Set<TopicPartition>) {}
    func failed(_: KafkaError) {}
}
