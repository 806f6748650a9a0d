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
        let value = header.prefix { $0 != ";" }
        let name = value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined().lowercased()
        guard let encoding = OTLPEncoding.allCases.first(where: { $0.mediaTypes.contains(name) })
        else { return nil }
        self.encoding = encoding
        self.name = name
    }
}
