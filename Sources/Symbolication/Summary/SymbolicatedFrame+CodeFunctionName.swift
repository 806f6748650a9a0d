public import CallStacks

extension SymbolicatedFrame {
    /// The function's name as OpenTelemetry defines `code.function.name`, without arguments:
    /// `Cart.total` for `Cart.total(for:)`, but the whole of `-[Cart add:]`. `nil` if no name is
    /// known.
    public var codeFunctionName: String? {
        (function ?? mangled).map { String($0[..<argumentsStart(in: $0)]) }
    }

    /// Returns the first parenthesis that follows a name outside type arguments: not that of
    /// `(anonymous namespace)::f`, of `f<int (*)(char)>` or of `operator()`.
    private func argumentsStart(in text: String) -> String.Index {
        if text.hasPrefix("-[") || text.hasPrefix("+[") { return text.endIndex }
        // Nearly all names are ASCII, in which each byte is a character.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            let start = text.utf8.span.argumentsStart
            return text.utf8.index(text.startIndex, offsetBy: start)
        }
        // The symbols of a C++ operator are part of its name.
        if let symbols = text.firstRange(of: "operator").map({ text[$0.upperBound...] }) {
            let rest = symbols.hasPrefix("()") ? symbols.dropFirst(2) : symbols
            return rest.firstIndex(of: "(") ?? text.endIndex
        }
        var depth = 0
        var before: Character = " "
        for index in text.indices {
            let character = text[index]
            if character == "<" { depth += 1 }
            if character == ">", before != "-" { depth -= 1 }
            let endsName = before.isLetter || before.isNumber || "_>$".contains(before)
            if character == "(", depth == 0, endsName { return index }
            before = character
        }
        return text.endIndex
    }
}
