import Ingest
import Kafka
import Logging
import Metrics
import ServerConfiguration
import ServiceLifecycle
import TaskCoordination

/// Stops accepting messages when the service stops, before the worker and the exporters stop.
struct KafkaIntakeStop: Service {
    let intake: KafkaRequestConsumer

    func run() async {
        try? await gracefulShutdown()
        intake.stop()
    }
}

/// This node's membership in the consumer group. It ends after the worker and the exporters, so that
/// the offsets of everything that they finished are committed.
struct KafkaMembership: Service {
    let stream: StreamConfiguration
    let intake: KafkaRequestConsumer
    let requests: KafkaRequestProducer
    private let sessionTimeout: Duration

    private let lag = Gauge(label: "symbolist_kafka_lag")
    private let partitions = Gauge(label: "symbolist_kafka_partitions")
    private let reachable = Gauge(label: "symbolist_kafka_reachable")

    private static let interval = Duration.seconds(5)

    init(
        _ stream: StreamConfiguration, sessionTimeout: Duration, intake: KafkaRequestConsumer,
        requests: KafkaRequestProducer
    ) {
        self.stream = stream
        self.sessionTimeout = sessionTimeout
        self.intake = intake
        self.requests = requests
    }

    func run() async throws {
        try intake.start(
            KafkaSettings(stream.kafka), group: stream.group, sessionTimeout: sessionTimeout)
        await cancelWhenGracefulShutdown { await recordGauges() }
        intake.stop()
        await intake.membership?.close()
        intake.logSkipped()
        await requests.close()
    }

    private func recordGauges() async {
        await repeatUntilCancelled(pausing: Self.interval) {
            if let membership = intake.membership {
                lag.record(membership.lag)
                partitions.record(membership.partitionCount)
                reachable.record(membership.isReachable && requests.isReachable ? 1 : 0)
            }
        }
    }
}
