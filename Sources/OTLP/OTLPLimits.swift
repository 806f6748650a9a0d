/// The limits on reading messages.
package enum OTLPLimits {
    /// The maximum nesting of messages, including the request.
    ///
    /// The body of a log record is the fifth level. Each level of a list adds two more, and each
    /// level of a map three, so maps may nest 31 levels deep. The limit is needed because reading
    /// is recursive.
    package static let messageDepth = 100

    /// The maximum number of messages in repeated fields: records, attributes, elements.
    ///
    /// In memory, the largest message takes some 200 bytes. 64 MiB of protobuf reach the limit with
    /// attributes of 16 bytes including their keys.
    package static let messageCount = 1 << 22
}
