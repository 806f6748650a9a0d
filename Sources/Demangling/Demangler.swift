/// Turns linkage names into what people wrote, whatever compiler they used.
///
/// Names come from uploaded files, so none is trusted. No name makes the process trap, hang or grow:
/// text ends after ``textBytesLimit`` bytes, names over ``nameBytesLimit`` stay as they are, and a
/// Swift name that could expand without bound is demangled in a child process with limits.
///
/// An ordinary name costs one to five microseconds. A name that needs the child costs about a
/// millisecond, more in a process with much memory, and a hostile one up to two seconds: keep the
/// answers, and call this where a thread may wait.
public struct Demangler: Sendable {
    /// How much of a Swift or Rust name is shown.
    public enum Style: String, Hashable, Sendable, CaseIterable {
        /// As Xcode shows it: `Cart.add(_:)`, and Rust paths without hashes.
        case simplified
        /// With modules, types and hashes: `Shop.Cart.add(Shop.Item) -> ()`.
        case full
    }

    /// Longer names are not demangled. The longest in the Swift toolchain has 1,897 bytes.
    public static let nameBytesLimit = 65_536

    /// Longer texts are cut, and end in `…`.
    public static let textBytesLimit = 4_096

    public var style: Style

    public init(style: Style = .simplified) {
        self.style = style
    }

    /// What to show for `linkageName`, in any scheme and with or without Mach-O's underscore.
    ///
    /// A name that is not mangled, or not correctly, is its own text. The suffixes that compilers
    /// add follow in parentheses, `foo(int) (.cold.1)`, where they mean anything to a reader.
    ///
    /// - Returns: The same answer for the same name, except that a busy machine may leave a hostile
    ///   name mangled.
    public func demangle(_ linkageName: String) -> DemangledName {
        guard linkageName.utf8.count <= Self.nameBytesLimit else {
            return DemangledName(text: LimitedText(linkageName).shown)
        }
        let name = SchemedName(linkageName)
        let kind = name.suffixes.kind
        if let text = text(of: name) {
            let suffix = name.suffixes.shown.isEmpty ? "" : " (\(name.suffixes.shown))"
            let kind = kind ?? SymbolKind(of: name, text: text.text)
            return DemangledName(
                text: text.appending(suffix).shown, kind: kind, scheme: name.scheme)
        }
        let plain = PlainName(linkageName, suffixes: name.suffixes)
        return DemangledName(
            text: LimitedText(plain.text).shown, kind: kind ?? plain.kind, scheme: name.scheme)
    }

    private func text(of name: SchemedName) -> LimitedText? {
        switch name.scheme {
        case .swift: SwiftRuntimeDemangler(style: style).text(of: name.mangled)
        case .swiftOld: OldSwiftTypeName(name.mangled, style: style).map { LimitedText($0.text) }
        case .itanium: ItaniumDemangler().text(of: name.mangled)
        case .rustV0: RustV0Demangler(style: style).text(of: name.mangled)
        case .rustLegacy: RustLegacyName(name.mangled, style: style).map { LimitedText($0.text) }
        case .objectiveC, .none: nil
        }
    }
}
