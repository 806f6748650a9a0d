/// The suffixes that compilers add for copies and parts of a function: `.cold.1`, `.llvm.123`.
///
/// Demanglers support some of these suffixes and fail on others, so they are removed before
/// demangling and added back in one form: `foo(int) (.cold.1)`.
struct SymbolSuffixes {
    /// The name before its first suffix.
    var base: Substring
    /// The suffixes to show, dots included, such as `.part.0.cold`.
    var shown = ""
    /// The kind of code that the suffixes indicate, or `nil` if they indicate none.
    var kind: SymbolKind?

    /// The maximum number of suffixes. Real names have a few; the limit keeps the loop short for
    /// hostile ones.
    private static let countLimit = 8

    init(of name: Substring) {
        base = name
        guard name.contains(UInt8(ascii: ".")) else { return }
        var pieces: [String] = []
        for _ in 0..<Self.countLimit {
            guard let suffix = Self.last(of: base), suffix.start > base.startIndex else { break }
            if suffix.isShown { pieces.append(String(base[suffix.start...])) }
            // The last suffix decides: `.part.0.cold` is cold.
            kind = kind ?? suffix.kind
            base = base[..<suffix.start]
        }
        shown = pieces.reversed().joined()
    }

    private struct Suffix {
        var start: Substring.Index
        var isShown: Bool
        var kind: SymbolKind?
    }

    /// Returns whether to show a suffix, and the kind of code that it indicates.
    ///
    /// `.llvm.`, `.lto_priv.` and `.__uniq.` only distinguish local functions of different files.
    private static func meaning(of word: Substring) -> (isShown: Bool, kind: SymbolKind?)? {
        switch word {
        case "cold", "unlikely": (true, .coldPart)
        case "part", "resume", "destroy", "cleanup": (true, .part)
        case "isra", "constprop", "islice", "clone", "warm": (true, nil)
        case "llvm", "lto_priv", "__uniq", "localalias": (false, nil)
        default: nil
        }
    }

    private static func last(of name: Substring) -> Suffix? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let tail = name[name.utf8.index(after: dot)...]
        if let (isShown, kind) = meaning(of: tail) {
            return Suffix(start: dot, isShown: isShown, kind: kind)
        }
        guard isNumber(tail) else { return nil }
        let front = name[..<dot]
        if let wordDot = front.utf8.lastIndex(of: UInt8(ascii: ".")),
            let (isShown, kind) = meaning(of: front[front.utf8.index(after: wordDot)...])
        {
            return Suffix(start: wordDot, isShown: isShown, kind: kind)
        }
        // The Swift compiler distinguishes equal partial applications by a bare number.
        return hasSwiftPrefix(front) ? Suffix(start: dot, isShown: false, kind: nil) : nil
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
    }

    private static func hasSwiftPrefix(_ name: Substring) -> Bool {
        name.hasPrefix("$s") || name.hasPrefix("_$s")
    }
}
