import Problems

/// An error code of librdkafka, `rd_kafka_resp_err_t`. Negative codes come from the client, others
/// from the brokers.
struct ResponseCode: RawRepresentable, Hashable {
    let rawValue: Int32

    static let none = Self(rawValue: 0)
    static let endOfPartition = Self(rawValue: -191)
    static let allBrokersDown = Self(rawValue: -187)
    static let queueFull = Self(rawValue: -184)
    static let messageTimedOut = Self(rawValue: -192)
    static let assignPartitions = Self(rawValue: -175)
    static let revokePartitions = Self(rawValue: -174)
    static let noOffset = Self(rawValue: -168)
    static let purgedInQueue = Self(rawValue: -152)
    static let purgedInFlight = Self(rawValue: -151)
    static let fatal = Self(rawValue: -150)

    /// `INVALID_MSG`, `INVALID_MSG_SIZE`, `MSG_SIZE_TOO_LARGE`, `RECORD_LIST_TOO_LARGE`,
    /// `UNSUPPORTED_FOR_MESSAGE_FORMAT`, `POLICY_VIOLATION` and `INVALID_RECORD`.
    private static let ofMessages: Set<Int32> = [2, 4, 10, 18, 43, 44, 87]
    /// `UNKNOWN_TOPIC_OR_PART`, `TOPIC_EXCEPTION`, the failed authorizations of topic, group and
    /// cluster, failed SASL, and the client's own errors for unknown topics and partitions and for
    /// authentication.
    private static let ofTopics: Set<Int32> = [3, 17, 29, 30, 31, 33, 58, -188, -190, -169]

    var reason: KafkaError.Reason {
        switch self {
        case .queueFull: .queueFull
        case .fatal: .clientFailed
        case .purgedInQueue, .purgedInFlight: .closed
        default:
            if Self.ofMessages.contains(rawValue) {
                .messageRefused
            } else if Self.ofTopics.contains(rawValue) {
                .topicRefused
            } else {
                .unavailable
            }
        }
    }

    /// The next step for an error that a topic or its settings cause.
    var suggestion: String? {
        switch reason {
        case .messageRefused where rawValue == 10 || rawValue == 18 || rawValue == 4:
            "raise 'max.message.bytes' of the topic, or reduce batch.bytes"
        case .topicRefused where [3, 17, -188, -190].contains(rawValue):
            "create the topic, or correct its name"
        case .topicRefused: "check the user, its password and its rights on the topic"
        case .unavailable: "check that the brokers run and can be reached"
        case .queueFull: "send again later"
        default: nil
        }
    }
}
