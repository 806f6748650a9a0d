package import Problems

/// The reason why an OTLP message could not be read or written.
package struct OTLPError: DescribedError, Hashable {
    package enum Reason: Hashable, Sendable {
        /// The bytes are not protobuf, not JSON, or not the expected message.
        case malformed
        /// A trace ID or span ID is not hexadecimal or has a wrong length.
        case identifier
        /// The number of an enumeration does not fit in 32 bits.
        case enumeration
        /// Messages nest deeper than ``OTLPLimits/messageDepth``.
        case depth
        /// A request has more messages than the limit. It is treated like a body that is too large.
        case count
        /// The message cannot be written, because protobuf is limited to 2 GiB.
        case unwritable
    }

    package var reason: Reason
    /// `logs request: is truncated or not protobuf: check the content type`.
    package var problem: Problem

    package init(_ reason: Reason, _ problem: Problem) {
        self.reason = reason
        self.problem = problem
    }
}
