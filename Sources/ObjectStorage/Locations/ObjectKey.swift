/// The name of an object in an ``ObjectLocation``, without the prefix of the location.
///
/// Names that proxies and servers rewrite are not valid: those with empty, `.` or `..` segments,
/// with control characters, or with backslashes, which SeaweedFS turns into slashes.
public struct ObjectKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// The maximum length of a key, in bytes of UTF-8.
    public static let bytesLimit = 512

    public init?(rawValue: String) {
        guard (1...Self.bytesLimit).contains(rawValue.utf8.count),
            rawValue.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }),
            rawValue.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy({ !["", ".", ".."].contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    public init?(_ text: String) { self.init(rawValue: text) }

    public var description: String { rawValue }
}
