public import Problems

/// The reason why a Kafka operation failed.
public struct KafkaError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// librdkafka is missing or too old.
        case libraryUnavailable
        /// librdkafka rejects a setting.
        case invalidSettings
        /// The brokers reject the message: it is too large or malformed.
        case messageRefused
        /// The topic does not exist, or the user is not authorized to use it.
        case topicRefused
        /// Kafka did not acknowledge the message. It may have been stored nevertheless.
        case unavailable
        /// Too many messages are waiting for their acknowledgement.
        case queueFull
        /// The client has to be created again.
        case clientFailed
        /// The client was closed, or the task was cancelled.
        case closed
    }

    public var reason: Reason
    public var problem: Problem

    init(_ reason: Reason, _ problem: Problem) {
        self.reason = reason
        self.problem = problem
    }

    static func libraryUnavailable(_ text: String) -> Self {
        Self(
            .libraryUnavailable,
            Problem(
                "kafka", detail: "librdkafka cannot be loaded: \(text)",
                suggestion: "install it, as with 'apt install librdkafka1'"))
    }
}
