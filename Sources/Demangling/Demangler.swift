/// Turns linkage names into what people wrote, whatever compiler they used.
///
/// Names come from uploaded files, so none is trusted. No name makes the process trap, hang or grow:
/// text ends after ``textBytesLimit`` bytes, names over ``nameBytesLimit`` stay as they are, and a
/// Swift name that could expand without bound is demangled in a child process with limits.
///
/// An ordinary name costs one to five microseconds. A child costs about a millisecond, more in a
/// process with much memory, and a hostile name up to 0.2 seconds: give names together, each once,
/// and call this where a thread may wait.
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

    /// To take a shorter name apart costs less than to look at the clock.
    private static let shortNameBytes = 256

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
        var budget = DemanglingBudget()
        return demangle([linkageName], &budget)[0]
    }

    /// What to show for each of some names. Those that need a child process share one.
    ///
    /// - Parameter budget: What the names may cost. Where it does not reach, they stay mangled.
    /// - Returns: One for each name, in their order.
    public func demangle(
        _ linkageNames: [String], _ budget: inout DemanglingBudget
    ) -> [DemangledName] {
        var shown: [DemangledName] = []
        shown.reserveCapacity(linkageNames.count)
        var waiting: [(position: Int, name: ForeignName)] = []
        for linkageName in linkageNames {
            guard let name = Self.name(of: linkageName, &budget) else {
                shown.append(DemangledName(text: LimitedText(linkageName).shown))
                continue
            }
            var text: LimitedText?
            switch attempt(name) {
            case .done(let done): text = done
            case .needsChild(let foreign): waiting.append((shown.count, foreign))
            }
            shown.append(answer(linkageName, name, text, &budget))
        }
        budget.stop()
        let texts = ChildDemangling.texts(of: waiting.map(\.name), &budget)
        for (position, text) in zip(waiting.map(\.position), texts) where text != nil {
            let linkageName = linkageNames[position]
            shown[position] = answer(linkageName, SchemedName(linkageName), text, &budget)
        }
        return shown
    }

    /// The name taken apart; `nil` if it has to stay as it is. Only what takes time needs a budget:
    /// names of C are most of some images, and have nothing to demangle.
    private static func name(
        of linkageName: String, _ budget: inout DemanglingBudget
    ) -> SchemedName? {
        let count = linkageName.utf8.count
        if count <= shortNameBytes {
            let name = SchemedName(linkageName)
            return !name.scheme.isMangled || budget.allowsName() ? name : nil
        }
        guard count <= nameBytesLimit, budget.allowsName() else { return nil }
        return SchemedName(linkageName)
    }

    /// - Parameter text: What the name without suffixes demangles to; `nil` where that is nothing.
    private func answer(
        _ linkageName: String, _ name: SchemedName, _ text: LimitedText?,
        _ budget: inout DemanglingBudget
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
            text: LimitedText(plain.text).shown, kind: kind ?? plain.kind, scheme: name.scheme)
    }

    private func attempt(_ name: SchemedName) -> Attempt {
        let mangled = name.mangled
        switch name.scheme {
        case .swift: return SwiftRuntimeDemangler(style: style).attempt(mangled)
        case .swiftOld:
            return .done(OldSwiftTypeName(mangled, style: style).map { LimitedText($0.text) })
        case .itanium: return ItaniumDemangler().attempt(mangled)
        case .rustV0: return .done(RustV0Demangler(style: style).text(of: mangled))
        case .rustLegacy:
            return .done(RustLegacyName(mangled, style: style).map { LimitedText($0.text) })
        case .objectiveC, .none: return .done(nil)
        }
    }
}
