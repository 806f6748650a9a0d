extension SymbolKind {
    /// The kind of a name that was demangled to `text`.
    ///
    /// The mangled form decides where it can, because it is the same in every style.
    init(of name: SchemedName, text: String) {
        switch name.scheme {
        case .swift: self.init(swift: name.mangled, text: text)
        case .itanium: self.init(itanium: name.mangled)
        default: self = .function
        }
    }

    private init(itanium name: Substring) {
        if name.hasPrefix("___Z") {
            self = .block
        } else if ["_ZTh", "_ZTv", "_ZTc"].contains(where: name.hasPrefix) {
            self = .thunk
        } else {
            self = .function
        }
    }

    /// A Swift name ends in what was done to the function, the last thing last: `TQ0_` is a
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

    /// Forwarders (`TA`, `Ta`), `@objc` and its reverse (`To`, `TO`), reabstraction (`TR`, `Tr`),
    /// witnesses (`TW`), dispatch, curry, vtable and back deployment thunks (`Tj`, `TC`, `TV`,
    /// `Twb`, `TwB`), key paths (`TK`, `Tk`, `TH`, `Th`), distributed thunks (`TE`, `TD`).
    private static let thunkEndings = [
        "TA", "Ta", "To", "TO", "TR", "Tr", "TW", "Tj", "TC", "TV", "TK", "Tk", "TH", "Th", "TE",
        "TD", "Twb",
    ]

    /// `fC` is the entry that allocates an object and calls its `init`; for a struct it *is* `init`.
    private static func isThunk(_ name: Substring, text: String) -> Bool {
        thunkEndings.contains { name.hasSuffix($0) }
            || (name.hasSuffix("fC") && text.contains("__allocating_init("))
    }

    /// Removes `TQ0_` or `TY12_` from the end.
    private static func dropContinuation(_ name: inout Substring) -> Bool {
        guard name.hasSuffix("_") else { return false }
        var rest = name.dropLast()
        while let last = rest.utf8.last, (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= last {
            rest = rest.dropLast()
        }
        guard rest.hasSuffix("TQ") || rest.hasSuffix("TY") else { return false }
        name = rest.dropLast(2)
        return true
    }
}
