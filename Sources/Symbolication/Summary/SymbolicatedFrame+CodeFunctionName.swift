public import CallStacks

extension SymbolicatedFrame {
    /// The function's name as OpenTelemetry defines `code.function.name`, or `nil` if it is
    /// unknown. Arguments and C++ return types are omitted: `Cart.total` for `Cart.total(for:)`.
    /// Objective-C names such as `-[Cart add:]` are complete.
    public var codeFunctionName: String? {
        (functionTitle ?? mangled).map { name in
            if name.hasPrefix("-[") || name.hasPrefix("+[") { return name }
            let end = name.utf8.index(name.startIndex, offsetBy: name.utf8.span.argumentsStart)
            return String(name[..<end])
        }
    }
}
