/// A builder of UTF-8 text. A report has thousands of frames with a dozen small pieces each, and
/// appending bytes is much faster than appending strings.
struct TextBuilder {
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var count: Int { bytes.count }

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func addBlanks(_ count: Int) {
        if count > 0 { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count)) }
    }

    mutating func add(_ number: some BinaryInteger) { add(UInt64(clamping: number), radix: 10) }

    /// Appends `0x1a2b00000`, padded with zeros to `width` digits.
    mutating func add(hex number: UInt64, width: Int = 0) {
        bytes.append(UInt8(ascii: "0"))
        bytes.append(UInt8(ascii: "x"))
        add(number, radix: 16, width: width)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private mutating func add(_ number: UInt64, radix: UInt64, width: Int = 0) {
        // The last digit is computed first, and the largest number has twenty digits.
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var start = digits.count
        var rest = number
        repeat {
            start -= 1
            digits[start] = Self.digits[Int(rest % radix)]
            rest /= radix
        } while rest > 0
        for index in min(start, digits.count - width)..<digits.count { bytes.append(digits[index]) }
    }
}
