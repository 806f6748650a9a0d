extension OldSwiftReader {
    /// Reads a type and returns it in the current mangling.
    mutating func type() throws(Failure) -> String {
        try nested { reader throws(Failure) in try reader.anyType() }
    }

    private mutating func anyType() throws(Failure) -> String {
        let letter = try next()
        switch letter {
        case "S":
            let entry = try substitution()
            return entry.kind == .protocolType ? entry.text + "_p" : try nominalType(entry)
        case "C", "V", "O": return try declared(letter)
        case "a": return "\(try context())\(try declarationName())a"
        case "B": return try builtin()
        case "D": return try type() + "XD"
        case "F", "f": return try function().type("c")
        case "b": return try function().type("XB")
        case "c": return try function().type("XC")
        case "K": return try function().type("XK")
        case "G": return try bound()
        case "M": return try type() + "m"
        case "P": return try existential()
        case "R": return try type() + "z"
        case "T": return try tuple().text
        case "X": return try decorated()
        case "q": return try parameter()
        case "x": return "x"
        case "w": return try associated()
        default: throw .unknown
        }
    }

    /// A module is not a type.
    private func nominalType(_ entry: Entry) throws(Failure) -> String {
        guard entry.kind != .module else { throw .unknown }
        return entry.text
    }

    private mutating func declared(_ letter: Unicode.Scalar) throws(Failure) -> String {
        let owner = try context()
        let text = "\(owner)\(try declarationName())\(letter)"
        entries.append(Entry(text: text, kind: .nominal))
        return text
    }

    private mutating func builtin() throws(Failure) -> String {
        let letter = try next()
        switch letter {
        case "b", "B", "o", "O", "p", "w": return "B\(letter)"
        case "i", "f": return "B\(letter)\(try natural())\(takes("_") ? "_" : "")"
        default: throw .unknown
        }
    }

    /// Reads a bound generic type: `GSaSi_` is `SaySiG`. The arguments of enclosing types come
    /// first.
    mutating func bound() throws(Failure) -> String {
        let owner = try type()
        var arguments: [String] = []
        while !takes("_") { arguments.append(try type()) }
        guard !arguments.isEmpty else { throw .unknown }
        return "\(owner)y\(arguments.joined())G"
    }

    /// `P4Shop5Cheap_`, `PM…` for the metatype.
    private mutating func existential() throws(Failure) -> String {
        if takes("M") { return try type() + "Xp" }
        var text = "y"
        while !takes("_") {
            let name = try protocolName()
            text = text == "y" ? name + "_" : text + name
        }
        return text + "p"
    }

    private mutating func decorated() throws(Failure) -> String {
        let letter = try next()
        switch letter {
        case "o", "u", "w": return try type() + "X\(letter)"
        case "f": return try function().type("Xf")
        case "F": return try loweredFunction()
        default: throw .unknown
        }
    }

    /// Reads a function with the conventions of its callee, parameters and results: `o_iSi_dT__` is
    /// `SiytIxid_`.
    private mutating func loweredFunction() throws(Failure) -> String {
        var conventions = try convention(["d": "y", "g": "g", "o": "x", "t": "t"])
        if takes("C") {
            conventions += try convention(["b": "B", "c": "C", "m": "M", "O": "O", "w": "W"])
        }
        guard takes("_") else { throw .unknown }
        var types = ""
        while !takes("_") {
            conventions += try convention([
                "d": "y", "e": "e", "g": "g", "i": "i", "l": "l", "o": "x",
            ])
            types += try type()
        }
        while !takes("_") {
            if takes("z") { conventions += "z" }
            conventions += try convention(["a": "a", "d": "d", "D": "u", "i": "r", "o": "o"])
            types += try type()
        }
        return "\(types)I\(conventions)_"
    }

    /// Reads a letter and returns that of the current mangling.
    private mutating func convention(
        _ letters: [Unicode.Scalar: String]
    ) throws(Failure) -> String {
        guard let letter = letters[try next()] else { throw .unknown }
        return letter
    }

    /// Reads the parameter of a generic function or type, which both manglings write in the same
    /// way.
    private mutating func parameter() throws(Failure) -> String {
        guard takes("d") else { return "q\(try index())" }
        let depth = try index()
        return "qd\(depth)\(try index())"
    }

    /// `wx7Element`, or with the protocol that declares it.
    private mutating func associated() throws(Failure) -> String {
        let base = try type()
        let isQualified = takes("P")
        let owner = isQualified ? try protocolName() : nil
        let name = try identifier()
        let parameter = base == "x" ? "z" : base.hasPrefix("q") ? "y" + base.dropFirst() : nil
        guard let parameter else { throw .unknown }
        return owner.map { "\(name)\($0)Q\(parameter)" } ?? "\(name)Q\(parameter)"
    }

    /// The types of a tuple with their labels.
    struct Tuple {
        var elements: [(type: String, label: String?)] = []
        var isVariadic = false
        /// A parameter that is not in a tuple.
        var isBare = false

        /// Whether some elements have a label, and others none.
        var isPartlyLabelled: Bool {
            let count = elements.count { $0.label != nil }
            return count > 0 && count < elements.count
        }

        /// The text as a type.
        var text: String {
            isBare ? elements[0].type : elements.isEmpty ? "yt" : list(labels: true)
        }

        /// Returns the text as the parameters or results of a function.
        func parameters(labels: Bool) -> String {
            if isBare { return elements[0].type }
            guard !elements.isEmpty else { return "y" }
            let isLabelled = elements.contains { $0.label != nil }
            if elements.count == 1, !isVariadic, !isLabelled { return "\(elements[0].type)_t" }
            return list(labels: labels)
        }

        private func list(labels: Bool) -> String {
            var text = ""
            for (index, element) in elements.enumerated() {
                text += element.type + (labels ? element.label ?? "" : "")
                if isVariadic, index == elements.count - 1 { text += "d" }
                if index == 0 { text += "_" }
            }
            return text + "t"
        }
    }

    private mutating func tuple() throws(Failure) -> Tuple {
        var tuple = Tuple()
        while !takes("_") {
            let isNamed = rest.first.map(\.isDigit)
            let label = isNamed == true ? try identifier() : nil
            tuple.elements.append((try type(), label))
        }
        return tuple
    }

    private mutating func parameters() throws(Failure) -> Tuple {
        if takes("T") { return try tuple() }
        if takes("t") {
            var tuple = try self.tuple()
            tuple.isVariadic = true
            return tuple
        }
        return Tuple(elements: [(try type(), nil)], isBare: true)
    }

    /// The parameters and results of a function.
    struct Function {
        var parameters: Tuple
        var result: String
        var isThrowing: Bool

        func type(_ end: String) -> String {
            "\(result)\(parameters.parameters(labels: true))\(isThrowing ? "K" : "")\(end)"
        }

        /// The labels of a declaration's parameters, or none if its type has them.
        var labels: String {
            if parameters.elements.isEmpty { return "" }
            if parameters.isPartlyLabelled { return "y" }
            let labels = parameters.elements.compactMap(\.label)
            return labels.isEmpty ? "y" : labels.joined()
        }

        /// The text as the type of a declaration, without labels, which are elsewhere. If only some
        /// parameters have labels, these are in the type, because a list of labels would show the
        /// missing ones as `_`.
        var signature: String {
            let isSingle =
                parameters.elements.count == 1 && !parameters.isBare && !parameters.isVariadic
                && parameters.elements[0].label == nil
            let text =
                isSingle
                ? parameters.elements[0].type
                : parameters.parameters(labels: parameters.isPartlyLabelled)
            return "\(result)\(text)\(isThrowing ? "K" : "")"
        }
    }

    /// Reads a function type after its letter.
    mutating func function() throws(Failure) -> Function {
        let isThrowing = takes("z")
        let parameters = try parameters()
        let result = takes("T") ? try tuple().parameters(labels: true) : try type()
        return Function(parameters: parameters, result: result, isThrowing: isThrowing)
    }
}
