extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits in lower case, two for each.
    public var hexadecimal: String {
        let digits: [UInt8] = flatMap { [Self.digit($0 >> 4), Self.digit($0 & 0xf)] }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension [UInt8] {
    /// Reads bytes from hexadecimal digits in either case, two for each. Returns `nil` for an odd
    /// number of digits, and if there are other characters.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init()
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(UInt8(high << 4 | low))
        }
    }
}
