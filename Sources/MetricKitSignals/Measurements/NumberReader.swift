/// Reads the number at the front of a text, in the digits and separators of any locale.
struct NumberReader {
    private let scalars: [Unicode.Scalar]
    private var position: Int

    /// Ignores white space and direction marks around the text and before the number.
    init(_ text: String) {
        scalars = text.unicodeScalars.filter { !$0.isDirectionMark }
        position = scalars.firstIndex { !$0.properties.isWhitespace } ?? scalars.count
    }

    var rest: Substring {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[position...])
        return Substring(String(text))
    }

    /// Returns `nil` if the number is missing or its separators are invalid.
    mutating func read() -> (value: Double, isAmbiguous: Bool)? {
        let sign = sign()
        var groups = [digits()]
        var separators: [Separator] = []
        while let separator = separator() {
            separators.append(separator)
            groups.append(digits())
        }
        guard !groups[0].isEmpty else { return nil }
        return NumberParts(groups: groups, separators: separators).value
            .map { (sign * $0.value, $0.isAmbiguous) }
    }

    private mutating func sign() -> Double {
        guard position < scalars.count else { return 1 }
        switch scalars[position] {
        case "-", "\u{2212}": position += 1
        case "+":
            position += 1
            return 1
        default: return 1
        }
        return -1
    }

    private mutating func digits() -> [UInt8] {
        var digits: [UInt8] = []
        while position < scalars.count, let digit = scalars[position].decimalDigit {
            digits.append(UInt8(ascii: "0") + digit)
            position += 1
        }
        return digits
    }

    /// Returns a separator if a digit follows; otherwise it belongs to the unit.
    private mutating func separator() -> Separator? {
        guard position + 1 < scalars.count, scalars[position + 1].decimalDigit != nil,
            let separator = Separator(scalars[position])
        else { return nil }
        position += 1
        return separator
    }
}

/// A separator between digits.
enum Separator: Hashable {
    /// A space, an apostrophe or the Arabic mark, which never starts a fraction.
    case group(Unicode.Scalar)
    case comma
    case fullStop
    /// The Arabic mark, which always starts a fraction.
    case fraction

    init?(_ scalar: Unicode.Scalar) {
        switch scalar {
        case ",", "\u{ff0c}": self = .comma
        case ".", "\u{ff0e}": self = .fullStop
        case "\u{66b}": self = .fraction
        case "'", "\u{2019}", "\u{66c}": self = .group(scalar)
        default:
            guard scalar.properties.isWhitespace else { return nil }
            // All spaces are equivalent, because systems differ in the one that they write.
            self = .group(" ")
        }
    }
}

extension Unicode.Scalar {
    /// The value of a decimal digit of any script.
    fileprivate var decimalDigit: UInt8? {
        guard properties.numericType == .decimal, let value = properties.numericValue
        else { return nil }
        return UInt8(exactly: value)
    }

    fileprivate var isDirectionMark: Bool {
        switch value {
        case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }
}
