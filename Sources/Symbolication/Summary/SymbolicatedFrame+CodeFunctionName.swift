public import CallStacks

extension SymbolicatedFrame {
    /// The function's name as OpenTelemetry defines `code.function.name`, without arguments:
    /// `Cart.total` for `Cart.total(for:)`, but the whole of `-[Cart add:]`. `nil` if no name is
    /// known.
    public var codeFunctionName: String? {
        (function ?? mangled).map { name in
            if name.hasPrefix("-[") || name.hasPrefix("+[") { return name }
            let end = name.utf8.index(name.startIndex, offsetBy: name.utf8.span.argumentsStart)
            return String(name[..<end])
        }
    }
}
