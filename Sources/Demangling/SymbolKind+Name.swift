extension SymbolKind {
    /// Returns the kind of a name that was demangled to `text`.
    ///
    /// The mangled form is preferred to the text, because it is the same in every style.
    init(of name: ParsedLinkageName, text: String) {
        switch name.scheme {
        case .swift: self.init(swift: name.mangled, text: text)
        case .swiftOld:
            self = Self.oldThunks.contains(where: name.mangled.hasPrefix) ? .thunk : .function
        case .itanium: self.init(itanium: name.mangled)
        default: self = .function
        }
    }

    private static let oldThunks = [
        "_TTo", "_TTO", "_TTD", "_TTd", "_TTV", "_TTW", "_TTR", "_TTr", "_TPA",
    ]

    private init(itanium name: Substring) {
        if name.hasPrefix("___Z") {
            self = .block
        } else if ["_ZTh", "_ZTv", "_ZTc"].contains(where: name.hasPrefix) {
            self = .thunk
        } else {
            self = .function
        }
    }

    /// A Swift name ends in the transformations of the function, the latest last: `TQ0_` is a
    /// continuation, `TW` a witness, and `TWTQ0_` the continuation of a witness.
    private init(swift mangled: Substring, text: String) {
        var name = mangled
        let isContinuation = Self.dropContinuation(&name)
        let isMerged = name.hasSuffix("Tm")
        if isMerged { name = name.dropLast(2) }
        if text.hasPrefix("outlined ") || text.hasPrefix("merged outlined ") {
            self = .outlined
        } else if Self.isThunk(name, text: text) {
            self = .thunk
        } else if isContinuation {
            self = .asyncResume
        } else {
            self = isMerged ? .merged : .function
        }
    }

    /// Letters after a `T`. Forwarders (`A`, `a`), `@objc` and its reverse (`o`, `O`),
    /// reabstraction (`R`, `r`), witnesses (`W`), dispatch, curry and vtable thunks (`j`, `C`,
    /// `V`), key paths (`K`, `k`, `H`, `h`), distributed thunks (`E`, `D`).
    private static let thunkEndings = "AaoORrWjCVKkHhED"

    /// `fC` is the entry that allocates an object and calls its `init`; for a struct it *is*
    /// `init`.
    private static func isThunk(_ name: Substring, text: String) -> Bool {
        let ending = name.utf8.suffix(2)
        guard let first = ending.first, let last = ending.last else { return false }
        switch Unicode.Scalar(first) {
        case "T": return thunkEndings.utf8.contains(last)
        case "f": return last == UInt8(ascii: "C") && text.contains("__allocating_init(")
        default: return false
        }
    }

    /// Removes `TQ0_` or `TY12_` from the end.
    private static func dropContinuation(_ name: inout Substring) -> Bool {
        guard name.hasSuffix("_") else { return false }
        var rest = name.dropLast()
        while let last = rest.utf8.last, last.isDigit {
            rest = rest.dropLast()
        }
        guard rest.hasSuffix("TQ") || rest.hasSuffix("TY") else { return false }
        name = rest.dropLast(2)
        return true
    }
}
