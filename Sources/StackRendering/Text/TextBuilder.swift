import JSONText

/// A builder of UTF-8 text. A report has thousands of frames with a dozen small pieces each, and
/// appending bytes is much faster than appending strings.
struct TextBuilder {
    private var bytes: [UInt8] = []

    init() {}

    /// Takes the bytes of other text, which is empty until ``moveBytes(to:)``.
    init(appendingTo utf8: inout [UInt8]) { swap(&bytes, &utf8) }

    mutating func moveBytes(to utf8: inout [UInt8]) { swap(&bytes, &utf8) }

    /// Makes room for the number of bytes that will probably be added.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var count: Int { bytes.count }

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func addBlanks(_ count: Int) {
        if count > 0 { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count)) }
    }

    mutating func add(_ number: some BinaryInteger) {
        bytes.append(digitsOf: UInt64(clamping: number))
    }

    /// Appends `0x1a2b00000`, padded with zeros to `width` digits.
    mutating func add(hex number: UInt64, width: Int = 0) {
        let digitCount = max((UInt64.bitWidth - number.leadingZeroBitCount + 3) / 4, width, 1)
        bytes.append(addingCapacity: digitCount + 2) { piece in
            piece.append(UInt8(ascii: "0"))
            piece.append(UInt8(ascii: "x"))
            var position = digitCount
            while position > 0 {
                position -= 1
                let digit = UInt8(truncatingIfNeeded: number >> UInt64(4 * position) & 15)
                piece.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            }
        }
    }
}
