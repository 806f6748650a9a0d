public import Problems

/// The reason why an operation of Kafka failed.
public struct KafkaError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// librdkafka is missing or too old.
        case libraryUnavailable
        /// librdkafka refuses a setting.
        case invalidSettings
        /// The brokers refuse the message itself: it is too large or malformed.
        case messageRefused
        /// The topic does not exist, or the user has no right to it.
        case topicRefused
        /// Kafka does not take the message now. It may have been stored nevertheless.
        case unavailable
        /// Too many messages wait for their acknowledgement.
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
