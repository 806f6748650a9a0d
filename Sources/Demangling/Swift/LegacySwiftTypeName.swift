/// Swift classes and protocols under their Objective-C names: `_TtC4Shop4Cart`.
///
/// Compilers still write these. The runtime's demangler supports neither them nor any other name of
/// Swift 3 and earlier.
struct LegacySwiftTypeName {
    var text: String

    /// - Parameter mangled: The name with one underscore.
    init?(_ mangled: Substring) {
        guard mangled.hasPrefix("_Tt") else { return nil }
        var rest = mangled.utf8.dropFirst(3)
        let kinds = rest.prefix { "CVOP".utf8.contains($0) }
        rest = rest.dropFirst(kinds.count)
        // The module is not part of the text.
        guard !kinds.isEmpty, Self.identifier(&rest) != nil else { return nil }
        var names: [String] = []
        while names.count < kinds.count, let name = Self.declaration(&rest) { names.append(name) }
        if kinds.first == UInt8(ascii: "P"), rest.first == UInt8(ascii: "_") {
            rest = rest.dropFirst()
        }
        guard names.count == kinds.count, rest.isEmpty else { return nil }
        text = names.joined(separator: ".")
    }

    /// Parses the name of a declaration, `4Cart`. That of a private one follows the discriminator
    /// of its file, `P33_1F…9C4Cart`, which is not part of the text.
    private static func declaration(_ rest: inout Substring.UTF8View) -> String? {
        if rest.first == UInt8(ascii: "P") {
            rest = rest.dropFirst()
            guard identifier(&rest) != nil else { return nil }
        }
        return identifier(&rest).map { String($0) }
    }

    /// Parses `4Cart`, or `s` for the standard library in place of a module.
    private static func identifier(_ rest: inout Substring.UTF8View) -> Substring? {
        if rest.first == UInt8(ascii: "s") {
            rest = rest.dropFirst()
            return "s"
        }
        let digits = rest.prefix(while: \.isDigit)
        guard let count = Int(Substring(digits)), count > 0,
            count <= rest.count - digits.count
        else { return nil }
        let text = rest.dropFirst(digits.count).prefix(count)
        rest = rest.dropFirst(digits.count + count)
        return Substring(text)
    }
}
