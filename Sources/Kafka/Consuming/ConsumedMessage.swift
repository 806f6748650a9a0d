/// A partition of a topic.
public struct TopicPartition: Hashable, Sendable, CustomStringConvertible {
    public var topic: String
    public var partition: Int32

    public init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }

    /// `otlp_logs[3]`.
    public var description: String { "\(topic)[\(partition)]" }
}

/// The position of a message in a partition, valid while the partition is assigned to this
/// consumer.
public struct MessagePosition: Hashable, Sendable, CustomStringConvertible {
    public let partition: TopicPartition
    public let offset: Int64
    /// The number of the period in which offsets ascend, which identifies results from earlier
    /// periods.
    let period: Int

    /// `otlp_logs[3]@4711`.
    public var description: String { "\(partition)@\(offset)" }
}

/// A message as consumed.
public struct ConsumedMessage: Sendable {
    public let position: MessagePosition
    public let value: [UInt8]
    /// The time of its production in milliseconds since 1970, or `nil` if it has none.
    public let timestamp: Int64?
    /// The value of the header that the consumer reads.
    public let header: String?
}
