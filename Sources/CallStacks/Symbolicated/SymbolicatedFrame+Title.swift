extension SymbolicatedFrame {
    /// The demangled name of the function for titles, or `nil` if it is unknown: without the return
    /// type, which only the names of C++ function templates have, as `int` in `int foo<int>(int)`.
    public var functionTitle: String? {
        guard let function, let mangled, mangled.isOfItaniumFunction else { return function }
        let text = Array(function.utf8)
        return String(decoding: text[ReturnTypeScan(text).functionRange], as: UTF8.self)
    }
}

extension String {
    /// Whether a linkage name is that of a C++ function, and not of a table (`_ZTV…`), a thunk
    /// (`_ZTh…`), a guard (`_ZG…`) or a block, whose texts begin with words of the demangler.
    fileprivate var isOfItaniumFunction: Bool {
        let name = hasPrefix("__Z") ? dropFirst() : self[...]
        return name.hasPrefix("_Z") && !name.hasPrefix("_ZT") && !name.hasPrefix("_ZG")
    }
}

/// The search for the end of a return type at the start of a C++ function's text.
///
/// It ends at the last space outside of brackets before the function's arguments, or before the
/// keyword of an operator: that of `int foo<int>(int)`, but none of `Cart::operator unsigned int()`.
/// The text of a function that returns a pointer to a function is inside the return type:
/// `void (*foo<int>(int))(char)`.
private struct ReturnTypeScan {
    private let text: [UInt8]
    private var start = 0
    private var end: Int
    /// The brackets that are open.
    private var open: [UInt8] = []

    private static let operatorKeyword = Array("operator".utf8)
    private static let typeKeyword = Array("decltype".utf8)

    init(_ text: [UInt8]) {
        self.text = text
        end = text.count
    }

    /// The range of the text without the return type.
    var functionRange: Range<Int> {
        var scan = self
        var index = 0
        while index < text.count, scan.isBeforeName(index) { index += 1 }
        // Without arguments, as for a variable, there is no return type either.
        guard index < text.count else { return 0..<text.count }
        return scan.start..<scan.end
    }

    /// Reads one byte. Returns `false` at the first one that certainly belongs to the function.
    private mutating func isBeforeName(_ index: Int) -> Bool {
        let before = index > 0 ? text[index - 1] : UInt8(ascii: " ")
        switch text[index] {
        case UInt8(ascii: " ") where open.isEmpty: start = index + 1
        case UInt8(ascii: "(") where open.isEmpty: return isBeforeName(parenthesisAt: index)
        case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            open.append(text[index])
        case UInt8(ascii: ">") where open.last == UInt8(ascii: "<") && before != UInt8(ascii: "-"):
            open.removeLast()
        case UInt8(ascii: ")"): close(UInt8(ascii: "("))
        case UInt8(ascii: "]"): close(UInt8(ascii: "["))
        case UInt8(ascii: "}"): close(UInt8(ascii: "{"))
        case UInt8(ascii: "o") where open.isEmpty && !before.isInIdentifier:
            return !hasWord(Self.operatorKeyword, at: index)
        default: break
        }
        return true
    }

    /// Reads the first parenthesis outside of brackets: that of the arguments, or one around a part
    /// of the return type or of the name, as in `(anonymous namespace)::foo<int>`.
    private mutating func isBeforeName(parenthesisAt index: Int) -> Bool {
        let isAfterSpace = index == 0 || " *&".utf8.contains(text[index - 1])
        let word = Self.typeKeyword
        let isOfType = index >= word.count && hasWord(word, at: index - word.count)
        guard isAfterSpace || isOfType else { return false }
        let next = text[(index + 1)...].firstIndex { !"*&".utf8.contains($0) } ?? text.count
        if next > index + 1, let close = closingParenthesis(of: index) {
            start = next
            end = close
        } else {
            open.append(text[index])
        }
        return true
    }

    private func closingParenthesis(of index: Int) -> Int? {
        var depth = 0
        for position in index..<text.count {
            if text[position] == UInt8(ascii: "(") { depth += 1 }
            if text[position] == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    /// Closes a bracket, and angle brackets inside it: those of comparisons never close.
    private mutating func close(_ bracket: UInt8) {
        while let last = open.popLast(), last != bracket {}
    }

    private func hasWord(_ word: [UInt8], at index: Int) -> Bool {
        guard text[index...].starts(with: word) else { return false }
        let end = index + word.count
        return (index == 0 || !text[index - 1].isInIdentifier)
            && (end == text.count || !text[end].isInIdentifier)
    }
}

extension UInt8 {
    fileprivate var isInIdentifier: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
