/// Why a message of OTLP could not be read or written.
package struct OTLPError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The bytes are not protobuf, or not JSON, or not of the message that they should be.
        case malformed
        /// A trace id or span id is not hexadecimal or has another length than such ids have.
        case identifier
        /// The number of an enumeration does not fit in 32 bits.
        case enumeration
        /// Messages nest deeper than ``OTLPLimits/messageDepth``.
        case depth
        /// A request holds more messages than the limit, which is too large as a long body is.
        case count
        /// The message cannot be written, because protobuf ends at 2 GiB.
        case unwritable
    }

    package var reason: Reason
    /// `logs request: is cut off or not protobuf: check the content type`.
    package var description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
