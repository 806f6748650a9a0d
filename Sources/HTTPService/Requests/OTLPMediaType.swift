import OTLP

/// The encoding of a request, with the media type that the client used, which the response repeats.
struct OTLPMediaType: Hashable {
    let encoding: OTLPEncoding
    let name: String

    init(_ encoding: OTLPEncoding) {
        self.encoding = encoding
        name = encoding.mediaType
    }

    /// - Parameter header: The value of `Content-Type`, in any case and with any parameters.
    init?(header: String) {
        // Most clients send just the name, in lower case.
        let name = Self.names.contains(header) ? header : Self.name(in: header)
        guard let encoding = OTLPEncoding.allCases.first(where: { $0.mediaTypes.contains(name) })
        else { return nil }
        self.encoding = encoding
        self.name = name
    }

    private static let names = Set(OTLPEncoding.allCases.flatMap(\.mediaTypes))

    /// Returns the name without its parameters, in lower case.
    private static func name(in header: String) -> String {
        let value = header.prefix { $0 != ";" }
        return value.split { $0 == " " || $0 == "\t" }.joined().lowercased()
    }
}
