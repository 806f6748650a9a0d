/// The search for the arguments of a function in the UTF-8 text of its name.
///
/// All characters that matter are ASCII. The bytes of other characters count as letters.
extension Span<UInt8> {
    /// The number of bytes before the arguments, which start at the first parenthesis that follows
    /// a name outside type arguments: not that of `(anonymous namespace)::f`, of `f<int (*)(char)>`
    /// or of `operator()`. The number of all bytes if there are no arguments.
    var argumentsStart: Int {
        let operatorEnd = swiftOperatorEnd ?? operatorEnd
        var depth = 0
        var before = UInt8(ascii: " ")
        for index in (operatorEnd ?? 0)..<count {
            let byte = self[index]
            if byte == UInt8(ascii: "<") { depth += 1 }
            if byte == UInt8(ascii: ">"), before != UInt8(ascii: "-") { depth -= 1 }
            // An operator's name may end with any character.
            let isAfterName = operatorEnd != nil || before.endsName
            if byte == UInt8(ascii: "("), depth <= 0, isAfterName { return index }
            before = byte
        }
        return count
    }

    /// The end of a Swift operator, `static Version.< infix`, or `nil` if the name is not that of one.
    private var swiftOperatorEnd: Int? {
        var before = UInt8(ascii: " ")
        for index in indices {
            if self[index] == UInt8(ascii: " "), before.isInSwiftOperator {
                for fixity in swiftFixities where begins(with: fixity, at: index) {
                    let end = index + fixity.count
                    if end < count, "(<".utf8.contains(self[end]) { return end }
                }
            }
            before = self[index]
        }
        return nil
    }

    /// The end of the keyword and the symbols of a C++ operator, or `nil` if the name is not that
    /// of an operator. A keyword in type arguments or in other arguments names another function.
    private var operatorEnd: Int? {
        var depth = 0
        var before = UInt8(ascii: " ")
        for index in indices {
            let byte = self[index]
            if depth == 0, !before.isInName, begins(with: operatorKeyword, at: index) {
                let end = index + operatorKeyword.count
                if end == count || !self[end].isInName { return symbolsEnd(from: end) }
            }
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ">") where before == UInt8(ascii: "-"): break
            case UInt8(ascii: ">"), UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            before = byte
        }
        return nil
    }

    /// Returns the end of an operator's symbols that look like brackets.
    private func symbolsEnd(from start: Int) -> Int {
        for symbols in bracketSymbols where begins(with: symbols, at: start) {
            return start + symbols.count
        }
        return start
    }

    private func begins(with text: [UInt8], at start: Int) -> Bool {
        guard count - start >= text.count else { return false }
        for index in text.indices where self[start + index] != text[index] { return false }
        return true
    }
}

private let operatorKeyword = Array("operator".utf8)

/// What follows the symbols of a Swift operator.
private let swiftFixities = [" infix", " prefix", " postfix"].map { Array($0.utf8) }

/// The symbols of operators with parentheses or angle brackets, before those that begin others.
private let bracketSymbols = [
    "()", "->*", "->", "<=>", "<<=", ">>=", "<<", ">>", "<=", ">=", "<", ">",
].map { Array($0.utf8) }

extension UInt8 {
    /// Whether the character can be part of a name.
    fileprivate var isInName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    /// Whether the character can be part of a Swift operator (The Swift Programming Language,
    /// "Lexical Structure", "Operators").
    fileprivate var isInSwiftOperator: Bool {
        self >= 0x80 || "/=-+!*%<>&|^~?.".utf8.contains(self)
    }

    /// Whether a name with its type arguments may end with this character.
    fileprivate var endsName: Bool { isInName || self == UInt8(ascii: ">") }
}
