/// The group of a consumer, its topics and its limits.
public struct ConsumerSettings: Hashable, Sendable {
    /// The group whose members share the partitions.
    public var group: String
    public var topics: [String]
    /// The name of the header that is read with each message.
    public var headerName: String
    /// The number of bytes that librdkafka fetches ahead, not counting messages already delivered.
    public var prefetchBytes = 16 << 20
    /// The time without a heartbeat after which a member's partitions are assigned to others.
    ///
    /// By default, brokers reject values below 6 seconds (`group.min.session.timeout.ms`).
    public var sessionTimeout = Duration.seconds(30)
    /// The minimum time between two commits.
    public var commitInterval = Duration.seconds(1)
    /// The maximum time for which revoking a partition waits for messages in progress.
    public var drainLimit = Duration.seconds(2)

    public init(group: String, topics: [String], headerName: String) {
        self.group = group
        self.topics = topics
        self.headerName = headerName
    }

    /// Automatic commits are off: ``Consumer`` decides which offsets to commit.
    func properties() -> [String: String] {
        [
            "group.id": group, "enable.auto.commit": "false", "enable.auto.offset.store": "false",
            // A new group starts with the oldest message, so that nothing is missed.
            "auto.offset.reset": "earliest",
            // Not `cooperative-sticky`: before version 2.3, librdkafka ends the process if such a
            // consumer leaves the group before it has partitions.
            "partition.assignment.strategy": "roundrobin",
            "session.timeout.ms": "\(sessionTimeout.milliseconds)",
            "heartbeat.interval.ms": "\(max(sessionTimeout.milliseconds / 10, 100))",
            "queued.max.messages.kbytes": "\(max(prefetchBytes >> 10, 1))",
            "fetch.message.max.bytes": "1048576",
            "allow.auto.create.topics": "true",
            // The time within which new topics and partitions are discovered.
            "topic.metadata.refresh.interval.ms": "30000",
        ]
    }
}
