/// The two ways in which OTLP/HTTP writes a message.
package enum OTLPEncoding: Hashable, Sendable, CaseIterable {
    case protobuf
    /// OTLP's own JSON mapping, which is protobuf's but for ids in hexadecimal and enumerations as
    /// numbers.
    case json

    /// The value of `Content-Type`.
    package var mediaType: String { mediaTypes[0] }

    /// All values of `Content-Type` that stand for the encoding, the one that OTLP names first.
    package var mediaTypes: [String] {
        switch self {
        case .protobuf: ["application/x-protobuf", "application/protobuf"]
        case .json: ["application/json"]
        }
    }
}
