/// A number in the notation of `atos`.
public struct AtosNumber: Hashable, Sendable {
    public let value: UInt64

    /// An address or offset: hexadecimal after `0x` or with a letter among its digits, otherwise
    /// decimal. Returns `nil` if the value does not fit in 64 bits.
    public init?(_ text: some Collection<UInt8>) {
        let digits = Self.withoutPrefix(text)
        let isHexadecimal = digits.count < text.count || !digits.allSatisfy(Self.isDecimalDigit)
        self.init(digits, radix: isHexadecimal ? 16 : 10)
    }

    /// A load address or slide: hexadecimal, with or without `0x`.
    public init?(hexadecimal text: some Collection<UInt8>) {
        self.init(Self.withoutPrefix(text), radix: 16)
    }

    private init?(_ digits: some Collection<UInt8>, radix: Int) {
        guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
            let value = UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
        else { return nil }
        self.value = value
    }

    private static func withoutPrefix<Text: Collection<UInt8>>(_ text: Text) -> Text.SubSequence {
        let start = text.prefix(2)
        let isPrefix =
            start.first == UInt8(ascii: "0")
            && start.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        return text.dropFirst(isPrefix ? 2 : 0)
    }

    private static func isDecimalDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
