/// The mangling scheme of a linkage name, judged by its first bytes.
///
/// Only real prefixes count. A plain C function may be called `Some`, `sleep` or `ZoomIn`, and
/// guessing would turn such names into nonsense.
public enum ManglingScheme: String, Hashable, Sendable, CaseIterable {
    /// `$s`, `$S`, `$e` and `_T0`, with or without the underscore that Mach-O prepends.
    case swift

    /// Swift 3 and earlier: `_TF…`, `_TZF…`, `_TMa…`; still used for classes visible to
    /// Objective-C, `_TtC…`.
    case swiftOld

    /// `_Z…` and `___Z…_block_invoke`, with or without the Mach-O underscore.
    case itanium

    /// `_R…`, with or without the Mach-O underscore.
    case rustV0

    /// `_ZN…17h<16 hexadecimal digits>E`: Itanium in form, and Rust by its last component.
    case rustLegacy

    /// `-[Class method:]` and `+[Class method]`, shown unchanged.
    case objectiveC

    /// All other names, mostly C.
    case none

    /// Whether there is anything to demangle.
    var isMangled: Bool { self != .objectiveC && self != .none }
}

/// A parsed linkage name, with a recognised prefix, and without Mach-O's underscore and suffixes.
struct ParsedLinkageName {
    var scheme: ManglingScheme
    /// The name in the form that demanglers expect.
    var mangled: Substring
    var suffixes: SymbolSuffixes

    init(_ linkageName: String) {
        let suffixes = SymbolSuffixes(of: linkageName[...])
        self.suffixes = suffixes
        (scheme, mangled) = Self.recognised(suffixes.base)
    }

    private static func recognised(_ name: Substring) -> (ManglingScheme, Substring) {
        guard let first = name.utf8.first else { return (.none, name) }
        switch first {
        case UInt8(ascii: "$"):
            return (hasSwiftPrefix(name) ? .swift : .none, name)
        case UInt8(ascii: "-"), UInt8(ascii: "+"):
            return (name.dropFirst().utf8.first == UInt8(ascii: "[") ? .objectiveC : .none, name)
        case UInt8(ascii: "_"):
            return underscored(name)
        default:
            return (.none, name)
        }
    }

    /// Mach-O's underscore turns `$s` into `_$s` and `_Z` into `__Z`. Blocks add two more: the body
    /// of one in `_Z3foov` is `___Z3foov_block_invoke`, and `____Z…` in a Mach-O symbol table.
    private static func underscored(_ name: Substring) -> (ManglingScheme, Substring) {
        let bare = name.utf8.drop { $0 == UInt8(ascii: "_") }
        let count = name.utf8.count - bare.count
        let rest = name[bare.startIndex...]
        if count == 1, hasSwiftPrefix(rest) { return (.swift, rest) }
        if count <= 2, let scheme = schemeAfterUnderscore(rest) {
            let mangled = name[name.utf8.index(bare.startIndex, offsetBy: -1)...]
            return (
                scheme == .itanium && RustLegacyName.hasHash(mangled) ? .rustLegacy : scheme,
                mangled
            )
        }
        if count == 3 || count == 4, rest.hasPrefix("Z"), rest.contains("_block_invoke") {
            return (.itanium, name[name.utf8.index(bare.startIndex, offsetBy: -3)...])
        }
        return (.none, name)
    }

    private static func schemeAfterUnderscore(_ rest: Substring) -> ManglingScheme? {
        var bytes = rest.utf8.makeIterator()
        guard let first = bytes.next(), let second = bytes.next() else { return nil }
        switch (first, second) {
        case (UInt8(ascii: "Z"), _): return .itanium
        case (UInt8(ascii: "R"), UInt8(ascii: "A")...UInt8(ascii: "Z")): return .rustV0
        case (UInt8(ascii: "T"), UInt8(ascii: "0")): return .swift
        case (UInt8(ascii: "T"), _): return "FtWPTZIvMw".utf8.contains(second) ? .swiftOld : nil
        default: return nil
        }
    }

    private static func hasSwiftPrefix(_ name: Substring) -> Bool {
        var bytes = name.utf8.makeIterator()
        guard bytes.next() == UInt8(ascii: "$"), let second = bytes.next() else { return false }
        return "sSe".utf8.contains(second)
    }
}
