/// Receives the messages of a consumer, on the consumer's thread.
public protocol ConsumerHandler: Sendable {
    /// Whether more messages may be delivered. Partitions are paused while there is no room.
    var hasCapacity: Bool { get }

    func received(_ message: ConsumedMessage)

    /// Partitions were assigned to this consumer.
    func assigned(_ partitions: Set<TopicPartition>)

    /// Partitions now belong to another consumer: their results are no longer needed.
    func revoked(_ partitions: Set<TopicPartition>)

    /// An error that does not end the consumer.
    func failed(_ error: KafkaError)
}
