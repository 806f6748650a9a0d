/// Translates names of Swift 3 and earlier into the current mangling.
///
/// Both manglings have the same parts in a different order: `_TFC4Shop4Cart3addfSiT_` is
/// `$s4Shop4CartC3addyySiF`. The runtime's demangler only supports the current one. Substitutions
/// are expanded. A name with an unknown part stays mangled.
struct OldSwiftReader {
    /// A context or a type that the name refers to again.
    struct Entry {
        enum Kind { case module, protocolType, nominal }

        var text: String
        var kind: Kind

        /// The text as the context of a declaration.
        var context: String { kind == .protocolType ? text + "P" : text }
    }

    enum Failure: Error { case unknown }

    /// The maximum nesting of types and contexts.
    static let depthLimit = 64
    /// The maximum length of a part in the new mangling, in bytes.
    static let textLimit = 16_384

    var rest: Substring.UTF8View
    var entries: [Entry] = []
    private var depth = 0

    /// Returns a name in the current mangling, or `nil` if it has an unknown part.
    ///
    /// - Parameter mangled: The name with one underscore.
    static func modernName(of mangled: Substring) -> String? {
        guard mangled.hasPrefix("_T") else { return nil }
        var reader = Self(rest: mangled.utf8.dropFirst(2))
        guard let text = try? reader.global(), reader.rest.isEmpty else { return nil }
        return "$s" + text
    }

    private init(rest: Substring.UTF8View) { self.rest = rest }

    /// Skips a text if the rest begins with it.
    mutating func takes(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard rest.starts(with: text.description.utf8) else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    mutating func next() throws(Failure) -> Unicode.Scalar {
        guard let byte = rest.popFirst() else { throw .unknown }
        return Unicode.Scalar(byte)
    }

    /// Reads something that may nest.
    mutating func nested(
        _ read: (inout Self) throws(Failure) -> String
    ) throws(Failure) -> String {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw .unknown }
        let text = try read(&self)
        guard text.utf8.count <= Self.textLimit else { throw .unknown }
        return text
    }

    mutating func natural() throws(Failure) -> Int {
        let digits = rest.prefix(while: \.isDigit)
        guard let value = Int(Substring(digits)) else { throw .unknown }
        rest = rest.dropFirst(digits.count)
        return value
    }

    /// Reads `_`, or a number and `_`, which both manglings write in the same way.
    mutating func index() throws(Failure) -> String {
        if takes("_") { return "_" }
        let value = try natural()
        guard takes("_") else { throw .unknown }
        return "\(value)_"
    }

    private mutating func characters() throws(Failure) -> String {
        let count = try natural()
        guard count > 0, count <= rest.count else { throw .unknown }
        let text = String(Substring(rest.prefix(count)))
        rest = rest.dropFirst(count)
        return text
    }

    /// Reads an identifier, an operator, or an identifier in Punycode.
    mutating func identifier() throws(Failure) -> String {
        if takes("o") {
            let fixity = try next()
            let new = ["p": "op", "P": "oP", "i": "oi"][fixity]
            guard let new else { throw .unknown }
            let text = try characters()
            return "\(text.utf8.count)\(text)\(new)"
        }
        if takes("X") {
            let text = try characters()
            return "00\(text.utf8.count)\(text)"
        }
        let text = try characters()
        return "\(text.utf8.count)\(text)"
    }

    /// Reads the name of a declaration: local, private or neither.
    mutating func declarationName() throws(Failure) -> String {
        if takes("L") {
            let index = try index()
            return "\(try identifier())L\(index)"
        }
        if takes("P") {
            let file = try identifier()
            return "\(try identifier())\(file)LL"
        }
        return try identifier()
    }
}

extension OldSwiftReader {
    /// Types that both manglings abbreviate in the same way, and those that the current one spells
    /// out.
    private static let known: [Unicode.Scalar: Entry] = {
        var known: [Unicode.Scalar: Entry] = [:]
        for letter in "abdfPpqRrSVviu".unicodeScalars {
            known[letter] = Entry(text: "S\(letter)", kind: .nominal)
        }
        known["c"] = Entry(text: "s13UnicodeScalarV", kind: .nominal)
        known["Q"] = Entry(text: "s27ImplicitlyUnwrappedOptionalO", kind: .nominal)
        known["o"] = Entry(text: "So", kind: .module)
        known["C"] = Entry(text: "SC", kind: .module)
        return known
    }()

    /// Reads the text after an `S`: a known type, or one from the same name.
    mutating func substitution() throws(Failure) -> Entry {
        if let first = rest.first, let entry = Self.known[Unicode.Scalar(first)] {
            rest.removeFirst()
            return entry
        }
        // `S_` is the first entry, and `S0_` the second one.
        let number = takes("_") ? nil : try natural()
        if number != nil, !takes("_") { throw .unknown }
        let entries = number == nil ? entries[...] : entries.dropFirst()
        guard let entry = entries.dropFirst(number ?? 0).first else { throw .unknown }
        return entry
    }

    mutating func module() throws(Failure) -> String {
        if takes("s") { return "s" }
        if takes("S") {
            let entry = try substitution()
            guard entry.kind == .module else { throw .unknown }
            return entry.text
        }
        let text = try identifier()
        entries.append(Entry(text: text, kind: .module))
        return text
    }

    /// Reads the context of a declaration: a module, a type, an extension or a function.
    mutating func context() throws(Failure) -> String {
        try nested { reader throws(Failure) in
            if reader.takes("S") { return try reader.substitution().context }
            if reader.takes("s") { return "s" }
            if reader.takes("E") {
                let module = try reader.module()
                return "\(try reader.context())\(module)E"
            }
            guard let first = reader.rest.first.map({ Unicode.Scalar($0) }) else { throw .unknown }
            switch first {
            case "C", "V", "O", "P":
                return try reader.nominal().context
            case "G": return try reader.boundContext()
            case "F", "I", "v", "i", "Z": return try reader.entity()
            default: return try reader.module()
            }
        }
    }

    /// `GV4main4ListSi_`: the type that is bound, as the context of its members.
    private mutating func boundContext() throws(Failure) -> String {
        guard takes("G") else { throw .unknown }
        let owner = try context()
        while !takes("_") { _ = try type() }
        return owner
    }

    /// Reads a class, structure, enumeration or protocol, to which later parts of the name may
    /// refer.
    mutating func nominal() throws(Failure) -> Entry {
        let letter = try next()
        guard "CVOP".unicodeScalars.contains(letter) else { throw .unknown }
        return try declaration(letter)
    }

    /// Reads a protocol at a position where the mangling omits its kind.
    mutating func protocolName() throws(Failure) -> String {
        if takes("S") {
            let entry = try substitution()
            // A module is the start of the name of one of its protocols.
            if entry.kind == .module { return try declaration("P", in: entry.text).text }
            guard entry.kind == .protocolType else { throw .unknown }
            return entry.text
        }
        if takes("s") { return try declaration("P", in: "s").text }
        return try declaration("P").text
    }

    private mutating func declaration(
        _ letter: Unicode.Scalar, in known: String? = nil
    ) throws(Failure) -> Entry {
        let owner = if let known { known } else { try context() }
        let name = try declarationName()
        let entry =
            letter == "P"
            ? Entry(text: owner + name, kind: .protocolType)
            : Entry(text: "\(owner)\(name)\(letter)", kind: .nominal)
        entries.append(entry)
        return entry
    }
}
