/// The identity of a linked image: an `LC_UUID` of 16 bytes, or a GNU build ID of any length.
///
/// Images are matched by these bytes alone, never by name, path or version: two builds of a program
/// may share all of those, but their offsets differ.
public struct ImageID: Hashable, Sendable {
    /// The maximum length in bytes. A longer identity is invalid.
    public static let lengthLimit = 32

    /// The bytes in words of eight, most significant byte first, padded with zeros. Every frame has
    /// an identity, and words are cheap to copy and compare.
    private let words: (UInt64, UInt64, UInt64, UInt64)
    private let count: UInt8

    /// Returns `nil` if there are no bytes, more than ``lengthLimit``, or only zeros, which linkers
    /// write for an image without an identity.
    public init?(bytes: [UInt8]) {
        var builder = Builder()
        for byte in bytes { builder.append(byte) }
        self.init(builder)
    }

    private init?(_ builder: Builder) {
        let words = builder.words
        guard builder.count <= Self.lengthLimit, words.0 | words.1 | words.2 | words.3 != 0
        else { return nil }
        self.words = words
        count = UInt8(builder.count)
    }

    /// Collects bytes without an array of them.
    private struct Builder {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        /// The number of bytes. Those after ``lengthLimit`` are counted, but not stored.
        var count = 0

        mutating func append(_ byte: UInt8) {
            let shifted = UInt64(byte) << UInt64(56 - 8 * (count % 8))
            switch count / 8 {
            case 0: words.0 |= shifted
            case 1: words.1 |= shifted
            case 2: words.2 |= shifted
            case 3: words.3 |= shifted
            default: break
            }
            count += 1
        }
    }

    public var bytes: [UInt8] { (0..<Int(count)).map(byte) }

    private func byte(at index: Int) -> UInt8 {
        let word =
            switch index / 8 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
    }

    /// Reads hexadecimal digits in either case, with or without hyphens and braces.
    public init?(_ text: some StringProtocol) { self.init(utf8: Array(text.utf8)[...]) }

    /// Reads UTF-8 text in the same form.
    public init?(utf8 text: ArraySlice<UInt8>) {
        var builder = Builder()
        var high: UInt8?
        for character in text where !Self.isDecoration(character) {
            guard let digit = Self.digit(character), builder.count <= Self.lengthLimit
            else { return nil }
            if let first = high {
                builder.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self.init(builder)
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.words == right.words && left.count == right.count
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        // Nearly all identities have 16 bytes.
        guard count > 16 else { return }
        hasher.combine(words.2)
        hasher.combine(words.3)
    }

    /// Whether it has the length of an `LC_UUID`. A build ID may have that length too.
    public var hasUUIDLength: Bool { count == 16 }

    /// Lower-case hexadecimal digits without hyphens, as in file names and build IDs.
    public var hex: String {
        var text: [UInt8] = []
        write(digits: Self.lowerDigits, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static let lowerDigits = Array("0123456789abcdef".utf8)
    private static let upperDigits = Array("0123456789ABCDEF".utf8)

    /// - Parameter hyphens: The even byte positions that a hyphen precedes.
    private func write(
        digits: [UInt8], hyphens: ClosedRange<Int>? = nil, to text: inout [UInt8]
    ) {
        for position in 0..<Int(count) {
            let byte = byte(at: position)
            if let hyphens, hyphens.contains(position), position.isMultiple(of: 2) {
                text.append(UInt8(ascii: "-"))
            }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
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
    /// The usual form: 16 bytes as an upper-case UUID with hyphens, otherwise lower-case digits.
    public var description: String {
        var text: [UInt8] = []
        write(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends ``description``, without making a string of it.
    package func write(to text: inout [UInt8]) {
        if hasUUIDLength {
            write(digits: Self.upperDigits, hyphens: 4...10, to: &text)
        } else {
            write(digits: Self.lowerDigits, to: &text)
        }
    }
}
