/// A name that no demangler has anything to say about: C, Objective-C, labels, damaged names.
struct PlainName {
    var text: String
    var kind = SymbolKind.function

    /// The words of a bitcode build's replaced names: `__hidden#123_`.
    private static let hiddenPrefix = "__hidden#"

    init(_ name: String, suffixes: SymbolSuffixes) {
        text = suffixes.base + suffixes.shown
        if let number = Self.hiddenNumber(name) {
            text = "hidden symbol \(number)"
            kind = .hidden
        } else if name.hasPrefix("Swift runtime failure: ") {
            text = name
            kind = .runtimeFailure
        } else if Self.isOutlined(name) {
            kind = .outlined
        } else if Self.isBlockHelper(name) {
            kind = .blockHelper
        } else if Self.isBlock(suffixes.base) {
            kind = .block
        }
    }

    private static func hiddenNumber(_ name: String) -> Substring? {
        // The text form of some tools adds one underscore less or more.
        guard let start = [hiddenPrefix, "_" + hiddenPrefix].first(where: name.hasPrefix) else {
            return nil
        }
        let digits = name.dropFirst(start.count).prefix { $0.isASCII && $0.isNumber }
        return digits.isEmpty || digits.count > 10 ? nil : digits
    }

    private static func isOutlined(_ name: String) -> Bool {
        name.hasPrefix("OUTLINED_FUNCTION_") || name.hasPrefix("_OUTLINED_FUNCTION_")
    }

    private static func isBlockHelper(_ name: String) -> Bool {
        let bare = name.drop { $0 == "_" }
        return name.hasPrefix("_")
            && (bare.hasPrefix("copy_helper_block_") || bare.hasPrefix("destroy_helper_block_"))
    }

    /// `__main_block_invoke`, `__31-[Cart add:]_block_invoke_2`.
    private static func isBlock(_ name: Substring) -> Bool {
        let word = "_block_invoke"
        let end = name.drop { $0 != "_" }
        guard name.hasPrefix("__"), !end.isEmpty else { return false }
        var bare = name
        while let last = bare.utf8.last, (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= last {
            bare = bare.dropLast()
        }
        return name.hasSuffix(word) || bare.hasSuffix(word + "_")
    }
}
