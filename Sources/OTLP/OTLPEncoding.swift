/// The two ways in which OTLP/HTTP writes a message.
package enum OTLPEncoding: Hashable, Sendable, CaseIterable {
    case protobuf
    /// OTLP's own JSON mapping, which is protobuf's but for ids in hexadecimal and enumerations as
    /// numbers.
    case json

    /// The value of `Content-Type`.
    package var mediaType: String {
        switch self {
        case .protobuf: "application/x-protobuf"
        case .json: "application/json"
        }
    }
}
