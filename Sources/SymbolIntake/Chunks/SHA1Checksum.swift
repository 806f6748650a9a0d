import HexadecimalDigits

/// The SHA-1 of a file or chunk, which identifies it in chunked uploads.
public struct SHA1Checksum: Hashable, Sendable, Codable {
    /// 40 lower-case hexadecimal digits. Only such strings become file names.
    public let text: String

    private static let digitCount = 40

    /// Returns `nil` if the text is not 40 hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.digitCount,
            text.unicodeScalars.allSatisfy({ $0.properties.isASCIIHexDigit })
        else { return nil }
        self.text = text.lowercased()
    }

    init(digest: some Sequence<UInt8>) { text = digest.hexadecimal }
}
