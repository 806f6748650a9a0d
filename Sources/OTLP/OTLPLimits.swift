/// The bounds within which messages are read.
package enum OTLPLimits {
    /// How deep messages may nest, the request itself counted.
    ///
    /// The body of a log record is the fifth message. Each level of a list takes two more and each
    /// level of a map three, so maps may nest 31 deep. Reading recurses, hence the limit.
    package static let messageDepth = 100
}
