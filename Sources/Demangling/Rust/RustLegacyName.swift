/// A Rust name in the form used before 2019, and by default long after: Itanium's nesting, Rust's
/// own escapes, and a hash at the end.
///
/// `_ZN4core3ptr13drop_in_place17h0123456789abcdefE` is `core::ptr::drop_in_place`.
struct RustLegacyName {
    var text: String

    private static let hashBytes = 16

    /// Whether a name in Itanium's form is Rust's by its last component.
    static func hasHash(_ mangled: Substring) -> Bool {
        guard mangled.utf8.last == UInt8(ascii: "E") else { return false }
        let tail = Array(mangled.utf8.suffix(hashBytes + 4))
        guard mangled.utf8.starts(with: "_ZN".utf8), tail.count == hashBytes + 4
        else { return false }
        return tail.starts(with: "17h".utf8)
            && tail.dropFirst(3).dropLast().allSatisfy(\.isHexDigit)
    }

    /// - Parameter mangled: The name with one underscore.
    init?(_ mangled: Substring) {
        let name = mangled.bytes(from: 3)
        // The last component is the hash.
        guard let components = Self.components(of: name)?.dropLast(), !components.isEmpty
        else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(name.count)
        for (position, component) in components.enumerated() {
            if position > 0 { text.append(contentsOf: "::".utf8) }
            Self.unescape(name[component], into: &text)
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// Returns the ranges of the length-prefixed identifiers before the final `E`.
    private static func components(of name: [UInt8]) -> [Range<Int>]? {
        var position = 0
        var components: [Range<Int>] = []
        while position < name.count, name[position] != UInt8(ascii: "E") {
            var length = 0
            let start = position
            while position < name.count, let digit = decimal(name[position]) {
                let (product, isTooLarge) = length.multipliedReportingOverflow(by: 10)
                guard !isTooLarge, product <= name.count else { return nil }
                length = product + digit
                position += 1
            }
            guard position > start, length > 0, length < name.count - position else { return nil }
            components.append(position..<position + length)
            position += length
        }
        return position == name.count - 1 ? components : nil
    }

    /// Decodes escapes: `$LT$` is `<`, `$u20$` a space, `..` is `::`; `_` protects a first `$`.
    private static func unescape(_ component: ArraySlice<UInt8>, into text: inout [UInt8]) {
        var rest = component.starts(with: "_$".utf8) ? component.dropFirst() : component
        while let first = rest.first {
            if first == UInt8(ascii: "."), rest.dropFirst().first == first {
                text.append(contentsOf: "::".utf8)
                rest = rest.dropFirst(2)
            } else if first == UInt8(ascii: "$"), let (character, count) = escape(rest) {
                text.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
                rest = rest.dropFirst(count)
            } else {
                text.append(first)
                rest = rest.dropFirst()
            }
        }
    }

    /// Returns the character of `$LT$…` and the length of its escape.
    private static func escape(_ text: ArraySlice<UInt8>) -> (Unicode.Scalar, count: Int)? {
        let name = text.dropFirst().prefix(8).prefix { $0 != UInt8(ascii: "$") }
        guard text.dropFirst(1 + name.count).first == UInt8(ascii: "$") else { return nil }
        return character(name).map { ($0, name.count + 2) }
    }

    private static func character(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = name.first, let last = name.last else { return nil }
        switch (name.count, Unicode.Scalar(first), Unicode.Scalar(last)) {
        case (1, "C", _): return ","
        case (2, "S", "P"): return "@"
        case (2, "B", "P"): return "*"
        case (2, "R", "F"): return "&"
        case (2, "L", "T"): return "<"
        case (2, "G", "T"): return ">"
        case (2, "L", "P"): return "("
        case (2, "R", "P"): return ")"
        case (2..., "u", _):
            guard name.dropFirst().allSatisfy(\.isHexDigit) else { return nil }
            let value = name.dropFirst().reduce(UInt32(0)) { $0 << 4 | UInt32($1.hexDigitValue) }
            return value >= 0x20 ? Unicode.Scalar(value) : nil
        default: return nil
        }
    }

    private static func decimal(_ byte: UInt8) -> Int? {
        byte.isDigit ? Int(byte.hexDigitValue) : nil
    }
}
