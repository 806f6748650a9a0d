public import Ingest
public import Kafka

/// The brokers of Kafka, and the topics of the signals.
public struct KafkaTarget: Hashable, Sendable {
    public var connection: KafkaSettings
    /// `topics.logs`, `topics.traces` and `topics.metrics`.
    public var topics: [Signal: String]

    public init(connection: KafkaSettings, topics: [Signal: String]) {
        self.connection = connection
        self.topics = topics
    }
}
