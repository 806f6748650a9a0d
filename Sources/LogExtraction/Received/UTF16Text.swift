/// A UTF-16 text with a byte-order mark, as Windows editors and shells write it.
///
/// An unpaired surrogate becomes the three bytes that UTF-8 would use for it, and an extra last
/// byte is stored, so that unedited text is restored unchanged.
struct UTF16Text {
    /// The text in UTF-8, with the mark.
    let bytes: [UInt8]
    private let isBigEndian: Bool
    private let lastByte: UInt8?

    /// Returns `nil` without the mark, or with that of UTF-32.
    init?(_ text: [UInt8]) {
        guard text.count >= 2, Self.isMarked(text) else { return nil }
        let isBigEndian = text[0] == 0xfe
        self.isBigEndian = isBigEndian
        lastByte = text.count.isMultiple(of: 2) ? nil : text.last
        bytes = Self.narrowed(text.count / 2) { position in
            let (first, second) = (UInt16(text[position * 2]), UInt16(text[position * 2 + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
    }

    static func isMarked(_ text: some Collection<UInt8>) -> Bool {
        let isLittleEndian =
            text.starts(with: [0xff, 0xfe]) && !text.starts(with: [0xff, 0xfe, 0, 0])
        return isLittleEndian || text.starts(with: [0xfe, 0xff])
    }

    /// Encodes a UTF-8 text like this one, with its extra last byte.
    func encoded(_ text: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count * 2)
        func add(_ unit: UInt16) {
            let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
            encoded += isBigEndian ? [high, low] : [low, high]
        }
        var rest = text[...]
        while let scalar = Self.takeScalar(&rest) {
            if scalar < 0x10000 {
                add(UInt16(scalar))
            } else {
                add(UInt16(0xd800 + (scalar - 0x10000) >> 10))
                add(UInt16(0xdc00 + (scalar - 0x10000) & 0x3ff))
            }
        }
        return encoded + [lastByte].compactMap(\.self)
    }

    private static func narrowed(_ count: Int, unit: (Int) -> UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var position = 0
        while position < count {
            var scalar = UInt32(unit(position))
            position += 1
            if 0xd800...0xdbff ~= scalar, position < count, 0xdc00...0xdfff ~= unit(position) {
                scalar = 0x10000 + (scalar & 0x3ff) << 10 + UInt32(unit(position) & 0x3ff)
                position += 1
            }
            append(scalar, to: &bytes)
        }
        return bytes
    }

    private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        func last(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3f) }
        switch scalar {
        case ..<0x80: bytes.append(UInt8(scalar))
        case ..<0x800: bytes += [UInt8(0xc0 | scalar >> 6), last(0)]
        case ..<0x10000: bytes += [UInt8(0xe0 | scalar >> 12), last(6), last(0)]
        default: bytes += [UInt8(0xf0 | scalar >> 18), last(12), last(6), last(0)]
        }
    }

    /// Removes the next scalar or unpaired surrogate. Invalid UTF-8 is U+FFFD.
    private static func takeScalar(_ text: inout ArraySlice<UInt8>) -> UInt32? {
        guard let first = text.popFirst() else { return nil }
        let count: Int
        switch first {
        case ..<0x80: return UInt32(first)
        case 0xc2...0xdf: count = 1
        case 0xe0...0xef: count = 2
        case 0xf0...0xf4: count = 3
        default: return 0xfffd
        }
        var scalar = UInt32(first) & (0x3f >> UInt32(count))
        guard text.prefix(count).count == count,
            text.prefix(count).allSatisfy({ $0 & 0xc0 == 0x80 })
        else { return 0xfffd }
        for _ in 0..<count { scalar = scalar << 6 | UInt32(text.removeFirst() & 0x3f) }
        return scalar <= 0x10ffff ? scalar : 0xfffd
    }
}
