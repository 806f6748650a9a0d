/// A value of `Content-Encoding` (RFC 9110, section 8.4.1).
public enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    /// One or more gzip members in a row (RFC 1952).
    case gzip
    /// A zlib stream (RFC 1950). Some clients send the deflate stream without the zlib header,
    /// which is accepted too.
    case deflate
    /// One or more Zstandard frames in a row (RFC 8878), with a window of at most 8 MiB (RFC 9659).
    case zstd

    /// The name of a body in errors.
    var subject: String { "\(rawValue) body" }

    /// - Parameter name: The header's value, in any case. `x-gzip` means `gzip`.
    public init?(name: some StringProtocol) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }
}
