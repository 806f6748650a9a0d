/// A name to which no demangler applies: that of a C or Objective-C function, a label, or a damaged
/// name.
struct PlainName {
    var text: String
    var kind = SymbolKind.function

    /// The prefixes of names replaced by a bitcode build: `__hidden#123_`. Some tools print an
    /// additional underscore.
    private static let hiddenPrefixes = ["_hidden#", "__hidden#", "___hidden#"]
    private static let runtimeFailurePrefix = "Swift runtime failure: "
    private static let outlinedPrefixes = ["OUTLINED_FUNCTION_", "_OUTLINED_FUNCTION_"]
    private static let blockHelperPrefixes = ["copy_helper_block_", "destroy_helper_block_"]
    private static let blockWord = "_block_invoke"

    init(_ name: String, suffixes: SymbolSuffixes) {
        let base = String(suffixes.base)
        text = suffixes.shown.isEmpty ? base : base + suffixes.shown
        switch name.utf8.first {
        case UInt8(ascii: "_"): takeUnderscored(name, base: base)
        case UInt8(ascii: "O") where Self.isOutlined(name): kind = .outlined
        case UInt8(ascii: "S") where name.hasPrefix(Self.runtimeFailurePrefix):
            text = name
            kind = .runtimeFailure
        default: break
        }
    }

    private mutating func takeUnderscored(_ name: String, base: String) {
        if let number = Self.hiddenNumber(name) {
            text = "hidden symbol \(number)"
            kind = .hidden
        } else if Self.isOutlined(name) {
            kind = .outlined
        } else if Self.isBlockHelper(name) {
            kind = .blockHelper
        } else if Self.isBlock(base) {
            kind = .block
        }
    }

    private static func hiddenNumber(_ name: String) -> Substring? {
        guard let start = hiddenPrefixes.first(where: name.hasPrefix) else { return nil }
        let digits = name.dropFirst(start.count).prefix { $0.isASCII && $0.isNumber }
        return digits.isEmpty || digits.count > 10 ? nil : digits
    }

    private static func isOutlined(_ name: String) -> Bool {
        outlinedPrefixes.contains(where: name.hasPrefix)
    }

    private static func isBlockHelper(_ name: String) -> Bool {
        let bare = Substring(name.utf8.drop { $0 == UInt8(ascii: "_") })
        return blockHelperPrefixes.contains(where: bare.hasPrefix)
    }

    /// Whether the name is a block's: `__main_block_invoke`, `__31-[Cart add:]_block_invoke_2`, or
    /// `__main_block_invoke.12` if LLVM has made the name of a copy unique.
    private static func isBlock(_ name: String) -> Bool {
        guard name.hasPrefix("__") else { return false }
        var rest = name[...]
        for mark in [".", "_"] {
            let digits = rest.utf8.reversed().prefix(while: \.isDigit)
            let front = rest.dropLast(digits.count)
            if !digits.isEmpty, front.hasSuffix(mark) { rest = front.dropLast() }
        }
        return rest.hasSuffix(blockWord)
    }
}
