/// A pattern of `*`, `?` and `[…]`, in which `*` also matches slashes, as in SQLite's `GLOB`.
///
/// A match takes time proportional to at most the product of both lengths.
struct GlobPattern: Hashable {
    private enum Element: Hashable {
        case character(UInt8)
        case anyOne
        case any
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)

        func matches(_ byte: UInt8) -> Bool {
            switch self {
            case .character(let own): own == byte
            case .anyOne, .any: true
            case .oneOf(let ranges, let isNegated):
                ranges.contains { $0.contains(byte) } != isNegated
            }
        }
    }

    private let elements: [Element]

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        var elements: [Element] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"): elements.append(.any)
            case UInt8(ascii: "?"): elements.append(.anyOne)
            case UInt8(ascii: "["): elements.append(Self.set(&rest) ?? .character(byte))
            default: elements.append(.character(byte))
            }
        }
        self.elements = elements
    }

    /// Reads the set after an opening bracket; returns `nil` if the bracket is not closed.
    private static func set(_ rest: inout ArraySlice<UInt8>) -> Element? {
        var set = rest
        let isNegated = set.first == UInt8(ascii: "^") || set.first == UInt8(ascii: "!")
        if isNegated { set.removeFirst() }
        var ranges: [ClosedRange<UInt8>] = []
        while let byte = set.popFirst() {
            if byte == UInt8(ascii: "]"), !ranges.isEmpty {
                rest = set
                return .oneOf(ranges, isNegated: isNegated)
            }
            var last = byte
            if set.first == UInt8(ascii: "-"), let end = set.dropFirst().first,
                end != UInt8(ascii: "]"), end >= byte
            {
                last = end
                set.removeFirst(2)
            }
            ranges.append(byte...last)
        }
        return nil
    }

    /// After a mismatch, the last `*` takes one more byte.
    func matches(_ text: String) -> Bool {
        let text = Array(text.utf8)
        var (element, byte) = (0, 0)
        var star: (element: Int, byte: Int)?
        while byte < text.count {
            if element < elements.count, elements[element] == .any {
                star = (element, byte)
                element += 1
            } else if element < elements.count, elements[element].matches(text[byte]) {
                element += 1
                byte += 1
            } else if let last = star {
                star = (last.element, last.byte + 1)
                (element, byte) = (last.element + 1, last.byte + 1)
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .any }
    }
}
