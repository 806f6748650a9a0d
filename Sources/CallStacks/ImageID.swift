/// The identity of one linked image: an `LC_UUID` of 16 bytes, or a GNU build id of any length.
///
/// Identities are compared by their bytes alone. Name, path and version never take part: two builds
/// of one program share all of those and none of their offsets.
public struct ImageID: Hashable, Sendable {
    /// The longest identity that is kept, in bytes; a longer one is no identity.
    public static let lengthLimit = 32

    /// The bytes, eight in each word, the first one highest; zeros behind the last one. Every frame
    /// has an identity, and words are copied and compared for next to nothing.
    private let words: (UInt64, UInt64, UInt64, UInt64)
    private let count: UInt8

    /// `nil` for no bytes, for more than ``lengthLimit``, and for zeros only, which linkers write
    /// where there is no identity.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.lengthLimit, bytes.contains(where: { $0 != 0 })
        else { return nil }
        count = UInt8(bytes.count)
        words = (
            Self.word(0, of: bytes), Self.word(1, of: bytes), Self.word(2, of: bytes),
            Self.word(3, of: bytes)
        )
    }

    private static func word(_ number: Int, of bytes: [UInt8]) -> UInt64 {
        var word: UInt64 = 0
        for place in 8 * number..<8 * number + 8 {
            word = word << 8 | UInt64(place < bytes.count ? bytes[place] : 0)
        }
        return word
    }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(count))
        for word in [words.0, words.1, words.2, words.3] {
            for place in 0..<min(Int(count) - bytes.count, 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * place)))
            }
        }
        return bytes
    }

    /// Reads hexadecimal digits in either case, with or without hyphens and braces.
    public init?(_ text: some StringProtocol) { self.init(utf8: Array(text.utf8)[...]) }

    /// The same of a text in UTF-8.
    public init?(utf8 text: ArraySlice<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        for character in text where !Self.isDecoration(character) {
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

    public static func == (left: Self, right: Self) -> Bool {
        left.words == right.words && left.count == right.count
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        // Nearly all have 16 bytes.
        guard count > 16 else { return }
        hasher.combine(words.2)
        hasher.combine(words.3)
    }

    /// Whether it has the length of an `LC_UUID`. A build id may have it too.
    public var hasUUIDLength: Bool { count == 16 }

    /// Lower-case hexadecimal digits without hyphens, as file names and build ids are written.
    public var hex: String { text(digits: Self.lowerDigits) }

    private static let lowerDigits = Array("0123456789abcdef".utf8)
    private static let upperDigits = Array("0123456789ABCDEF".utf8)

    /// - Parameter hyphens: Between which bytes a hyphen stands before every second one.
    private func text(digits: [UInt8], hyphens: ClosedRange<Int>? = nil) -> String {
        let bytes = bytes
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
