/// The bounds within which messages are read.
package enum OTLPLimits {
    /// How deep messages may nest, the request itself counted.
    ///
    /// The body of a log record is the fifth message. Each level of a list takes two more and each
    /// level of a map three, so maps may nest 31 deep. Reading recurses, hence the limit.
    package static let messageDepth = 100

    /// How many messages a request may hold in repeated fields: records, attributes, elements.
    ///
    /// In memory the largest takes some 200 bytes. 64 MiB of protobuf reach it where attributes have
    /// 16 bytes, key and all.
    package static let messageCount = 1 << 22
}
