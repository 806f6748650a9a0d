/// The identity of an image as written by Breakpad, Mozilla and Sentry: 16 bytes and an age.
///
/// A UUID keeps its bytes. A build ID is truncated or zero-padded to 16 bytes and written like a
/// GUID, whose first three fields are numbers: bytes 0–3, 4–5 and 6–7 are reversed. So a debug ID
/// reveals neither whether it was a UUID or a build ID, nor the remaining bytes of a build ID.
public struct DebugID: Hashable, Sendable {
    private static let length = 16

    /// The bytes in the order in which they are written.
    public let bytes: [UInt8]
    /// The age of a Windows image; 0 for others.
    public let age: UInt32

    /// Creates the debug ID of an image.
    ///
    /// - Parameter isBuildID: Whether the identity is a build ID and not a UUID.
    public init(_ image: ImageID, isBuildID: Bool) {
        let bytes = Self.padded(image.bytes)
        self.bytes = isBuildID ? Self.swapped(bytes) : bytes
        age = 0
    }

    /// Reads 32 hexadecimal digits in either case, with or without hyphens, and up to eight digits
    /// of an age.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard 32...40 ~= digits.count, let image = ImageID(utf8: digits.prefix(32)),
            image.bytes.count == Self.length
        else { return nil }
        let rest = String(decoding: digits.dropFirst(32), as: UTF8.self)
        guard let age = rest.isEmpty ? 0 : UInt32(rest, radix: 16) else { return nil }
        bytes = image.bytes
        self.age = age
    }

    /// `67E9247C814E392BA027DBDE6748FCBF0`
    public var breakpad: String { digits.uppercased() + String(age, radix: 16) }

    /// `67e9247c-814e-392b-a027-dbde6748fcbf`, with the age in hexadecimal if it has one.
    public var hyphenated: String {
        let digits = Array(digits.utf8)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map {
            String(decoding: digits[$0], as: UTF8.self)
        }
        return parts.joined(separator: "-") + (age == 0 ? "" : "-" + String(age, radix: 16))
    }

    /// Whether this may be the debug ID of an image.
    public func matches(_ image: ImageID) -> Bool {
        let padded = Self.padded(image.bytes)
        return padded == bytes || Self.swapped(padded) == bytes
    }

    /// The possible first bytes of the image's identity: those of a UUID, and those of a build ID.
    public var imagePrefixes: [[UInt8]] {
        [bytes, Self.swapped(bytes)].map { bytes in
            // A short build ID is padded with zeros.
            Array(bytes.reversed().drop { $0 == 0 }.reversed())
        }
    }

    private var digits: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes.prefix(length) + Array(repeating: 0, count: max(length - bytes.count, 0))
    }

    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
        bytes[0..<4].reversed() + bytes[4..<6].reversed() + bytes[6..<8].reversed() + bytes[8...]
    }
}
