extension RustV0Printer {
    private static let basicTypes: [UInt8: String] = Dictionary(
        uniqueKeysWithValues: [
            ("a", "i8"), ("b", "bool"), ("c", "char"), ("d", "f64"), ("e", "str"), ("f", "f32"),
            ("h", "u8"), ("i", "isize"), ("j", "usize"), ("l", "i32"), ("m", "u32"),
            ("n", "i128"), ("o", "u128"), ("p", "_"), ("s", "i16"), ("t", "u16"), ("u", "()"),
            ("v", "..."), ("x", "i64"), ("y", "u64"), ("z", "!"),
        ].map { (UInt8(ascii: $0.0 as Unicode.Scalar), $0.1) })

    mutating func type() throws(Failure) {
        try nested { (printer) throws(Failure) in try printer.typeHere() }
    }

    private mutating func typeHere() throws(Failure) {
        let tag = try reader.next()
        if let name = Self.basicTypes[tag] { return try print(name) }
        switch tag {
        case UInt8(ascii: "R"): try reference("&")
        case UInt8(ascii: "Q"): try reference("&", mutability: "mut ")
        case UInt8(ascii: "P"): try pointer("*const ")
        case UInt8(ascii: "O"): try pointer("*mut ")
        case UInt8(ascii: "A"): try array(hasCount: true)
        case UInt8(ascii: "S"): try array(hasCount: false)
        case UInt8(ascii: "T"): try tuple()
        case UInt8(ascii: "F"):
            try binder { (printer) throws(Failure) in try printer.function() }
        case UInt8(ascii: "D"): try traitObject()
        case UInt8(ascii: "B"):
            try referred { (printer) throws(Failure) in try printer.type() }
        default:
            reader.position -= 1
            try path(inValue: false)
        }
    }

    private mutating func reference(_ sign: String, mutability: String = "") throws(Failure) {
        try print(sign)
        if reader.accept("L") {
            let number = try reader.base62()
            if number != 0 {
                try lifetime(number)
                try print(" ")
            }
        }
        try print(mutability)
        try type()
    }

    private mutating func pointer(_ sign: String) throws(Failure) {
        try print(sign)
        try type()
    }

    private mutating func array(hasCount: Bool) throws(Failure) {
        try print("[")
        try type()
        if hasCount {
            try print("; ")
            try constant(inValue: true)
        }
        try print("]")
    }

    private mutating func tuple() throws(Failure) {
        try print("(")
        let count = try list { (printer) throws(Failure) in try printer.type() }
        try print(count == 1 ? ",)" : ")")
    }

    private mutating func function() throws(Failure) {
        if reader.accept("U") { try print("unsafe ") }
        if reader.accept("K") {
            let convention = reader.accept("C") ? "C" : try name()
            let spelled = convention.map { $0 == "_" ? "-" : String($0) }.joined()
            try print("extern \"\(spelled)\" ")
        }
        try print("fn(")
        try list { (printer) throws(Failure) in try printer.type() }
        try print(")")
        if !reader.accept("u") {
            try print(" -> ")
            try type()
        }
    }

    private mutating func traitObject() throws(Failure) {
        try print("dyn ")
        try binder { (printer) throws(Failure) in
            try printer.list(separator: " + ") { (printer) throws(Failure) in
                try printer.traitBound()
            }
        }
        guard reader.accept("L") else { throw .invalid }
        let number = try reader.base62()
        if number != 0 {
            try print(" + ")
            try lifetime(number)
        }
    }

    /// Prints a trait, its generic arguments and associated types in one pair of brackets.
    private mutating func traitBound() throws(Failure) {
        var isOpen = try openPath()
        while reader.accept("p") {
            try print(isOpen ? ", " : "<")
            isOpen = true
            try print(name())
            try print(" = ")
            try type()
        }
        if isOpen { try print(">") }
    }

    /// Prints a path without its last `>`. Returns whether the caller has to print it.
    private mutating func openPath() throws(Failure) -> Bool {
        if reader.accept("B") {
            var isOpen = false
            try referred { (printer) throws(Failure) in isOpen = try printer.openPath() }
            return isOpen
        }
        guard reader.accept("I") else {
            try path(inValue: false)
            return false
        }
        try path(inValue: false)
        try print("<")
        try list { (printer) throws(Failure) in try printer.genericArgument() }
        return true
    }

    /// Prints `for<'a, 'b> ` and its content.
    private mutating func binder(
        _ body: (inout RustV0Printer) throws(Failure) -> Void
    ) throws(Failure) {
        let count = try reader.optionalBase62("G")
        // Each one takes at least two bytes of text, so no more can be shown.
        guard count <= UInt64(Demangler.textBytesLimit) else { throw .invalid }
        let before = boundLifetimes
        if isSilent {
            boundLifetimes += count
        } else if count > 0 {
            try print("for<")
            for number in 0..<count {
                boundLifetimes += 1
                if number > 0 { try print(", ") }
                try lifetime(1)
            }
            try print("> ")
        }
        try body(&self)
        boundLifetimes = before
    }

    /// - Parameter number: 0 for `'_`, otherwise the position counted from the innermost binder.
    mutating func lifetime(_ number: UInt64) throws(Failure) {
        guard !isSilent else { return }
        guard number > 0 else { return try print("'_") }
        guard number <= boundLifetimes else { throw .invalid }
        let depth = boundLifetimes - number
        try print(
            depth < 26
                ? "'" + String(UnicodeScalar(UInt8(ascii: "a") + UInt8(depth))) : "'_\(depth)")
    }
}
