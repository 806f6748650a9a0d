public import Ingest
public import Kafka

/// The brokers of Kafka, and the topics of the signals.
public struct KafkaTarget: Hashable, Sendable {
    public var connection: KafkaSettings
    /// `topics.logs`, `topics.traces` and `topics.metrics`.
    public var topics: SignalTable<String>

    public init(connection: KafkaSettings, topics: SignalTable<String>) {
        self.connection = connection
        self.topics = topics
    }
}
