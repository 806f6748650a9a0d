/// The limits of a producer.
public struct ProducerLimits: Hashable, Sendable {
    public enum Compression: String, Sendable {
        case gzip, lz4, none
    }

    /// The largest message that librdkafka allows.
    public static let largestMessageBytes = 1_000_000_000

    /// The maximum size of a message before compression, in bytes.
    public var messageBytes = 4 << 20
    /// The maximum total size of messages waiting for acknowledgement, in bytes.
    public var queueBytes = 64 << 20
    /// The time after which an unacknowledged message fails.
    public var timeout = Duration.seconds(10)
    public var compression = Compression.lz4

    public init() {}

    /// Requires acknowledgement by all in-sync replicas, and makes retries idempotent.
    func properties() -> [String: String] {
        [
            "acks": "all", "enable.idempotence": "true", "compression.type": compression.rawValue,
            "message.max.bytes": "\(messageBytes)",
            "queue.buffering.max.kbytes": "\(max(queueBytes >> 10, 1))",
            "message.timeout.ms": "\(max(timeout.milliseconds, 1))",
            "topic.metadata.propagation.max.ms": "\(max(timeout.milliseconds / 2, 1))",
            "linger.ms": "5",
        ]
    }
}

extension Duration {
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
