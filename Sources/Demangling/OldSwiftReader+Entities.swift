extension OldSwiftReader {
    /// Reads the entity or type after `_T`.
    mutating func global() throws(Failure) -> String {
        try nested { reader throws(Failure) in try reader.anyGlobal() }
    }

    private mutating func anyGlobal() throws(Failure) -> String {
        if takes("To") { return try global() + "To" }
        if takes("TO") { return try global() + "TO" }
        if takes("TD") { return try global() + "TD" }
        if takes("Td") { return try global() + "Td" }
        if takes("TV") { return try global() + "TV" }
        if takes("TW") {
            let conformance = try conformance()
            return "\(conformance)\(try entity())TW"
        }
        if takes("TS") { return try specialization() }
        if takes("TR") { return try reabstraction() + "TR" }
        if takes("Tr") { return try reabstraction() + "Tr" }
        if takes("PA") { return try partialApplication() }
        if takes("M") { return try metadata() }
        if takes("W") { return try witness() }
        if takes("w") { return try valueWitness() }
        if takes("tG") { return try boundTypeName() }
        return try entity()
    }

    /// `_TPA__TF…`, `_TPAo_TF…`
    private mutating func partialApplication() throws(Failure) -> String {
        let end = takes("o") ? "Ta" : "TA"
        guard takes("__T") || takes("_T") else { throw .unknown }
        return try global() + end
    }

    /// Reads a copy of a function that was specialised for certain types or arguments. Properties
    /// of the arguments are omitted.
    private mutating func specialization() throws(Failure) -> String {
        let kind = try next()
        if kind == "f" {
            while !rest.isEmpty, !rest.starts(with: "___T".utf8) { rest.removeFirst() }
            guard takes("___T") else { throw .unknown }
            return try global() + "Tf4n_n"
        }
        guard kind == "g" || kind == "r" else { throw .unknown }
        _ = takes("q")
        _ = try next()
        let types = try specializedTypes()
        // The name that follows contains no references to earlier parts.
        entries = []
        return "\(try global())\(types)T\(kind == "g" ? "g" : "G")5"
    }

    /// Reads the types, each with its conformances.
    private mutating func specializedTypes() throws(Failure) -> String {
        var types: [String] = []
        while !takes("__T") {
            types.append(try type())
            while !rest.starts(with: "_".utf8) { _ = try conformance() }
            guard takes("_") else { throw .unknown }
        }
        guard let first = types.first else { throw .unknown }
        return "\(first)_\(types.dropFirst().joined())"
    }

    /// Reads the two types of a thunk between representations of a function. The current mangling
    /// has them in the opposite order.
    private mutating func reabstraction() throws(Failure) -> String {
        let generics = takes("G") ? try genericSignature() : ""
        let first = try type()
        return "\(try type())\(first)\(generics)"
    }

    /// Reads the name of a bound generic type. Names of other types are read by
    /// ``LegacySwiftTypeName``. A type in another one has a list of arguments for each, which
    /// ``bound()`` does not support.
    private mutating func boundTypeName() throws(Failure) -> String {
        let kinds = rest.prefix { "CVO".utf8.contains($0) }
        guard kinds.count < 2 else { throw .unknown }
        return try bound()
    }

    /// Reads two letters for the operation, which both manglings share, and the type.
    private mutating func valueWitness() throws(Failure) -> String {
        let operation = "\(try next())\(try next())"
        return "\(try type())w\(operation)"
    }

    private mutating func conformance() throws(Failure) -> String {
        let signature = takes("u") ? try genericSignature() : ""
        let type = try type()
        let name = try protocolName()
        return "\(type)\(name)\(try module())\(signature)"
    }

    private mutating func metadata() throws(Failure) -> String {
        if takes("a") { return try type() + "Ma" }
        if takes("m") { return try type() + "Mm" }
        if takes("n") { return try type() + "Mn" }
        if takes("L") { return try type() + "ML" }
        if takes("P") { return try type() + "MP" }
        if takes("f") { return try type() + "Mf" }
        if takes("p") { return try protocolName() + "Mp" }
        return try type() + "N"
    }

    private mutating func witness() throws(Failure) -> String {
        if takes("P") { return try conformance() + "WP" }
        if takes("a") { return try conformance() + "Wa" }
        if takes("V") { return try type() + "WV" }
        if takes("vd") { return try entity() + "Wvd" }
        if takes("vi") { return try entity() + "Wvi" }
        throw .unknown
    }

    /// Reads a function, variable, initialiser or closure with its context.
    mutating func entity() throws(Failure) -> String {
        let isStatic = takes("Z")
        let letter = try next()
        guard "FIvi".unicodeScalars.contains(letter) else { throw .unknown }
        let owner = try context()
        let text = try member(of: owner, letter: letter)
        return isStatic ? text + "Z" : text
    }

    private mutating func member(
        of owner: String, letter: Unicode.Scalar
    ) throws(Failure) -> String {
        if letter == "v" {
            let name = try declarationName()
            return "\(owner)\(name)\(try type())vp"
        }
        if letter == "i" {
            _ = try declarationName()
            return try subscripted(owner, end: "p")
        }
        if letter == "I" { return try initialised(owner) }
        if takes("D") { return owner + "fD" }
        if takes("d") { return owner + "fd" }
        if takes("e") { return owner + "fe" }
        if takes("E") { return owner + "fE" }
        if takes("C") { return try initializer(owner) + "fC" }
        if takes("c") { return try initializer(owner) + "fc" }
        if takes("U") { return try closure(owner, end: "fU") }
        if takes("u") { return try closure(owner, end: "fu") }
        if let end = accessor() { return try accessed(owner, end: end) }
        let name = try declarationName()
        return "\(owner)\(name)\(try signature())F"
    }

    /// `A_` for the default value of a parameter, `i` for the first value of a variable.
    private mutating func initialised(_ owner: String) throws(Failure) -> String {
        if takes("A") { return "\(owner)fA\(try index())" }
        guard takes("i") else { throw .unknown }
        return owner + "fi"
    }

    private mutating func closure(_ owner: String, end: String) throws(Failure) -> String {
        let index = try index()
        return "\(owner)\(try type())\(end)\(index)"
    }

    /// Reads the kind of an accessor and returns the letters of the current mangling.
    private mutating func accessor() -> String? {
        for (old, new) in Self.accessors where takes(old) { return new }
        return nil
    }

    private static let accessors: [(StaticString, String)] = [
        ("g", "g"), ("s", "s"), ("m", "m"), ("w", "w"), ("W", "W"), ("au", "au"), ("aO", "aO"),
        ("ao", "ao"), ("ap", "ap"), ("lu", "lu"), ("lO", "lO"), ("lo", "lo"), ("lp", "lp"),
    ]

    private mutating func accessed(_ owner: String, end: String) throws(Failure) -> String {
        let name = try declarationName()
        if name == "9subscript" { return try subscripted(owner, end: end) }
        return "\(owner)\(name)\(try type())v\(end)"
    }

    private mutating func subscripted(_ owner: String, end: String) throws(Failure) -> String {
        let (function, generics) = try functionType()
        return "\(owner)\(function.labels)\(function.signature)\(generics)ci\(end)"
    }

    private mutating func initializer(_ owner: String) throws(Failure) -> String {
        let (function, generics) = try functionType()
        return "\(owner)\(function.labels)\(function.signature)c\(generics)"
    }

    private mutating func signature() throws(Failure) -> String {
        let (function, generics) = try functionType()
        return "\(function.labels)\(function.signature)\(generics)"
    }

    private mutating func functionType() throws(Failure) -> (Function, generics: String) {
        let generics = takes("u") ? try genericSignature() : ""
        guard takes("f") || takes("F") else { throw .unknown }
        return (try function(), generics)
    }

    /// Reads the parameters of a generic function and their conformances.
    private mutating func genericSignature() throws(Failure) -> String {
        var counts: [String] = []
        while !rest.starts(with: "R".utf8), !rest.starts(with: "r".utf8) {
            counts.append(takes("z") ? "z" : try index())
        }
        var requirements = ""
        if takes("R") {
            while !takes("r") { requirements += try requirement() }
        } else if !takes("r") {
            throw .unknown
        }
        let ending = counts.isEmpty ? "" : "r" + counts.joined()
        return "\(requirements)\(ending)l"
    }

    /// `xS0_`: the first parameter conforms to a protocol.
    private mutating func requirement() throws(Failure) -> String {
        let subject = try type()
        let parameter = subject == "x" ? "z" : String(subject.dropFirst())
        guard subject == "x" || subject.hasPrefix("q"), !takes("z") else { throw .unknown }
        return "\(try protocolName())R\(parameter)"
    }
}
