/// The content of a string that ``JSONReader`` has checked.
struct JSONStringContent {
    let bytes: [UInt8]
    let range: Range<Int>
    let hasEscapes: Bool

    var text: String { String(decoding: utf8, as: UTF8.self) }

    var utf8: ArraySlice<UInt8> { hasEscapes ? decoded[...] : bytes[range] }

    fileprivate var decoded: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            if bytes[position] != .backslash {
                result.append(bytes[position])
                position += 1
            } else if bytes[position + 1] == UInt8(ascii: "u") {
                let (scalar, next) = scalar(at: position)
                result.append(contentsOf: String(Character(scalar)).utf8)
                position = next
            } else {
                result.append(Self.control(bytes[position + 1]))
                position += 2
            }
        }
        return result
    }

    /// Returns the character of a `\u` escape, or of two that form a surrogate pair.
    ///
    /// The grammar allows half a pair (RFC 8259, section 8.2), which is not a character. It becomes
    /// the replacement character, and the text around it is unaffected.
    private func scalar(at position: Int) -> (Unicode.Scalar, next: Int) {
        let high = unit(at: position)
        if let scalar = Unicode.Scalar(UInt32(high)) { return (scalar, position + 6) }
        let next = position + 6
        if high < 0xdc00, next + 6 <= range.upperBound, bytes[next] == .backslash,
            bytes[next + 1] == UInt8(ascii: "u")
        {
            let low = unit(at: next)
            let value = 0x10000 + UInt32(high & 0x3ff) << 10 + UInt32(low & 0x3ff)
            if low & 0xfc00 == 0xdc00, let scalar = Unicode.Scalar(value) {
                return (scalar, next + 6)
            }
        }
        return ("\u{fffd}", next)
    }

    private func unit(at position: Int) -> UInt16 {
        bytes[position + 2..<position + 6].reduce(0) { $0 << 4 | ($1.hexDigit ?? 0) }
    }

    private static func control(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }
}

extension JSONDocument {
    /// Whether the string at a node is `text`. Most names differ in length, so that is compared
    /// first, and the rest is compared without allocating.
    func text(_ index: Int, equals text: String) -> Bool {
        let node = nodes[index]
        let range = Int(node.start)..<Int(node.end)
        if node.hasEscapes {
            return JSONStringContent(bytes: bytes, range: range, hasEscapes: true).decoded
                .elementsEqual(text.utf8)
        }
        let wanted = text.utf8.span
        guard range.count == wanted.count else { return false }
        for step in wanted.indices where bytes[range.lowerBound + step] != wanted[step] {
            return false
        }
        return true
    }
}
