/// The identity of one linked image: an `LC_UUID` of 16 bytes, or a GNU build id of any length.
///
/// Identities are compared by their bytes alone. Name, path and version never take part: two builds
/// of one program share all of those and none of their offsets.
public struct ImageID: Hashable, Sendable {
    /// The longest identity that is kept, in bytes; a longer one is no identity.
    public static let lengthLimit = 32

    public let bytes: [UInt8]

    /// `nil` for no bytes, for more than ``lengthLimit``, and for zeros only, which linkers write
    /// where there is no identity.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.lengthLimit, bytes.contains(where: { $0 != 0 })
        else { return nil }
        self.bytes = bytes
    }

    /// Reads hexadecimal digits in either case, with or without hyphens and braces.
    public init?(_ text: some StringProtocol) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 where !Self.isDecoration(character) {
            guard let digit = Self.digit(character), bytes.count <= Self.lengthLimit
            else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self.init(bytes: bytes)
    }

    public func hash(into hasher: inout Hasher) {
        // All at once: an array hashes its elements one by one.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// Whether it has the length of an `LC_UUID`. A build id may have it too.
    public var hasUUIDLength: Bool { bytes.count == 16 }

    /// Lower-case hexadecimal digits without hyphens, as file names and build ids are written.
    public var hex: String { text(digits: Self.lowerDigits) }

    private static let lowerDigits = Array("0123456789abcdef".utf8)
    private static let upperDigits = Array("0123456789ABCDEF".utf8)

    /// - Parameter hyphens: Between which bytes a hyphen stands before every second one.
    private func text(digits: [UInt8], hyphens: ClosedRange<Int>? = nil) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count + 4)
        for (position, byte) in bytes.enumerated() {
            if let hyphens, hyphens.contains(position), position.isMultiple(of: 2) {
                text.append(UInt8(ascii: "-"))
            }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isDecoration(_ character: UInt8) -> Bool {
        character == UInt8(ascii: "-") || character == UInt8(ascii: "{")
            || character == UInt8(ascii: "}")
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension ImageID: CustomStringConvertible {
    /// As people know it: 16 bytes as a UUID in upper case with hyphens, else lower-case digits.
    public var description: String {
        hasUUIDLength ? text(digits: Self.upperDigits, hyphens: 4...10) : hex
    }
}
