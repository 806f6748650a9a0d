/// The two encodings of OTLP/HTTP.
package enum OTLPEncoding: Hashable, Sendable, CaseIterable {
    case protobuf
    /// OTLP's own JSON mapping, which differs from protobuf's in hexadecimal IDs and numeric
    /// enumerations.
    case json

    /// The value of `Content-Type`.
    package var mediaType: String { mediaTypes[0] }

    /// All values of `Content-Type` for the encoding, OTLP's own first.
    package var mediaTypes: [String] {
        switch self {
        case .protobuf: ["application/x-protobuf", "application/protobuf"]
        case .json: ["application/json"]
        }
    }
}
