/// A Rust name in the form used before 2019 and by default long after: Itanium's nesting, escapes of
/// its own, and a hash at the end.
///
/// `_ZN4core3ptr13drop_in_place17h0123456789abcdefE` is `core::ptr::drop_in_place`.
struct RustLegacyName {
    var text: String

    private static let hashBytes = 16

    /// Whether a name that is Itanium in form is Rust's by its last component.
    static func hasHash(_ mangled: Substring) -> Bool {
        let tail = Array(mangled.utf8.suffix(hashBytes + 4))
        guard mangled.hasPrefix("_ZN"), tail.count == hashBytes + 4, tail.last == UInt8(ascii: "E")
        else { return false }
        return tail.starts(with: "17h".utf8)
            && tail.dropFirst(3).dropLast().allSatisfy { isHexadecimal($0) }
    }

    /// - Parameter mangled: With one underscore.
    init?(_ mangled: Substring, style: Demangler.Style) {
        guard var components = Self.components(of: mangled), let hash = components.popLast(),
            !components.isEmpty
        else { return nil }
        var pieces = components.map(Self.unescaped)
        if style == .full { pieces.append(String(hash)) }
        text = pieces.joined(separator: "::")
    }

    /// The length-prefixed identifiers between `_ZN` and `E`.
    private static func components(of mangled: Substring) -> [Substring]? {
        var rest = mangled.utf8.dropFirst(3)
        var components: [Substring] = []
        while let first = rest.first, first != UInt8(ascii: "E") {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard let count = Int(Substring(digits)), count > 0 else { return nil }
            rest = rest.dropFirst(digits.count)
            guard count < rest.count else { return nil }
            components.append(Substring(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return rest.count == 1 ? components : nil
    }

    /// `$LT$` is `<`, `$u20$` a space, `..` is `::`; a leading `_` protects a first `$`.
    private static func unescaped(_ component: Substring) -> String {
        var rest = component.hasPrefix("_$") ? component.dropFirst() : component
        var text = ""
        while let first = rest.first {
            if rest.hasPrefix("..") {
                text += "::"
                rest = rest.dropFirst(2)
            } else if first == "$", let (character, count) = escape(rest) {
                text.append(character)
                rest = rest.dropFirst(count)
            } else {
                text.append(first)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    private static let escapes: [Substring: Character] = [
        "SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
    ]

    /// The character of `$LT$…` and the length of its escape.
    private static func escape(_ text: Substring) -> (Character, count: Int)? {
        let name = text.dropFirst().prefix(8).prefix { $0 != "$" }
        guard text.dropFirst(1 + name.count).first == "$" else { return nil }
        if let character = escapes[name] { return (character, name.count + 2) }
        let digits = name.dropFirst()
        guard name.first == "u", digits.utf8.allSatisfy(isHexadecimal),
            let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value), value >= 0x20
        else { return nil }
        return (Character(scalar), name.count + 2)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
