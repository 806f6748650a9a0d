/// Demangles the linkage names of all supported compilers.
///
/// Texts are short, as in Xcode: `Cart.add(_:)` of a Swift function, without its module and types,
/// and Rust paths without hashes.
///
/// Names come from uploaded files and are not trusted. No name makes the process trap, hang, or use
/// unbounded memory: text is truncated after ``textBytesLimit`` bytes, names over
/// ``nameBytesLimit`` stay mangled, and a Swift name that could grow without bound is demangled in
/// a child process.
///
/// An ordinary name takes one to five microseconds. A child process takes about a millisecond, more
/// if this process uses much memory, and a hostile name takes up to 0.2 seconds. So pass all
/// distinct names together, on a thread that may block.
public struct Demangler: Sendable {
    /// The maximum length of a name. The longest name in the Swift toolchain has 1,897 bytes.
    public static let nameBytesLimit = 65_536

    /// The maximum length of a text; longer ones are truncated and end in `…`.
    public static let textBytesLimit = 4_096

    /// Parsing a name shorter than this is faster than reading the clock.
    private static let shortNameBytes = 256

    public init() {}

    /// Returns the texts of linkage names, in any scheme and with or without Mach-O's underscore.
    /// Those that need a child process share one.
    ///
    /// The text of a name that is not mangled, or is malformed, is the name itself. The suffixes
    /// that compilers add follow in parentheses, `foo(int) (.cold.1)`, if they are meaningful to
    /// readers.
    ///
    /// - Parameter budget: The limits on all names together. Names past them stay mangled.
    /// - Returns: One result for each name, in order. It is the same for the same name, except that
    ///   a busy machine may leave a hostile name mangled.
    public func demangle(
        _ linkageNames: [String], budget: inout DemanglingBudget
    ) -> [DemangledName] {
        var shown: [DemangledName] = []
        shown.reserveCapacity(linkageNames.count)
        var waiting: [(position: Int, name: CDemanglerInput)] = []
        for linkageName in linkageNames {
            guard let name = Self.name(of: linkageName, budget: &budget) else {
                shown.append(DemangledName(text: BoundedText(linkageName).shown))
                continue
            }
            var text: BoundedText?
            switch attempt(name) {
            case .done(let done): text = done
            case .needsChild(let foreign): waiting.append((shown.count, foreign))
            }
            shown.append(demangledName(linkageName, name: name, text: text, budget: &budget))
        }
        budget.stop()
        let texts = ChildDemangling.texts(of: waiting.map(\.name), budget: &budget)
        for (position, text) in zip(waiting.map(\.position), texts) where text != nil {
            let linkageName = linkageNames[position]
            shown[position] = demangledName(
                linkageName, name: ParsedLinkageName(linkageName), text: text, budget: &budget)
        }
        return shown
    }

    /// Returns the parsed name, or `nil` if it must stay mangled. Only slow steps are charged to
    /// the budget: C names, the majority in some images, do not need demangling.
    private static func name(
        of linkageName: String, budget: inout DemanglingBudget
    ) -> ParsedLinkageName? {
        let count = linkageName.utf8.count
        if count <= shortNameBytes {
            let name = ParsedLinkageName(linkageName)
            return !name.scheme.isMangled || budget.allowsName() ? name : nil
        }
        guard count <= nameBytesLimit, budget.allowsName(isLong: true) else { return nil }
        return ParsedLinkageName(linkageName)
    }

    /// - Parameter text: The demangled name without suffixes, or `nil` if it cannot be demangled.
    private func demangledName(
        _ linkageName: String, name: ParsedLinkageName, text: BoundedText?,
        budget: inout DemanglingBudget
    ) -> DemangledName {
        let kind = name.suffixes.kind
        if let text, budget.allows(textBytes: text.text.utf8.count) {
            let suffix = name.suffixes.shown.isEmpty ? "" : " (\(name.suffixes.shown))"
            let kind = kind ?? SymbolKind(of: name, text: text.text)
            return DemangledName(
                text: text.appending(suffix).shown, kind: kind, scheme: name.scheme)
        }
        let plain = PlainName(linkageName, suffixes: name.suffixes)
        return DemangledName(
            text: BoundedText(plain.text).shown, kind: kind ?? plain.kind, scheme: name.scheme)
    }

    private func attemptOld(_ mangled: Substring) -> DemanglingAttempt {
        if let type = LegacySwiftTypeName(mangled) {
            return .done(BoundedText(type.text))
        }
        guard let modern = OldSwiftReader.modernName(of: mangled) else { return .done(nil) }
        return SwiftRuntimeDemangler().attempt(modern[...])
    }

    private func attempt(_ name: ParsedLinkageName) -> DemanglingAttempt {
        let mangled = name.mangled
        switch name.scheme {
        case .swift: return SwiftRuntimeDemangler().attempt(mangled)
        case .swiftOld: return attemptOld(mangled)
        case .itanium: return ItaniumDemangler().attempt(mangled)
        case .rustV0: return .done(RustV0Demangler().text(of: mangled))
        case .rustLegacy:
            return .done(RustLegacyName(mangled).map { BoundedText($0.text) })
        case .objectiveC, .none: return .done(nil)
        }
    }
}
