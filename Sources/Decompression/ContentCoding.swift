/// What `Content-Encoding` says was done to a body (RFC 9110, section 8.4.1).
public enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    /// One gzip member, or several of them one after another (RFC 1952).
    case gzip
    /// A zlib stream (RFC 1950). Some clients send the deflate stream without zlib's header, so that
    /// is read as well.
    case deflate
    /// One Zstandard frame, or several of them one after another (RFC 8878), with a window of at most
    /// 8 MiB (RFC 9659).
    case zstd

    /// What errors call a body.
    var subject: String { "\(rawValue) body" }

    /// - Parameter name: As the header has it, of either case. `x-gzip` is `gzip`.
    public init?(name: some StringProtocol) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }
}
