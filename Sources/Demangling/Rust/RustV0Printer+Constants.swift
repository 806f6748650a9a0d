extension RustV0Printer {
    /// - Parameter inValue: Whether the constant is inside another expression and needs no braces.
    mutating func constant(inValue: Bool) throws(Failure) {
        try nested { (printer) throws(Failure) in try printer.constantHere(inValue: inValue) }
    }

    private mutating func constantHere(inValue: Bool) throws(Failure) {
        let tag = try reader.next()
        switch Character(UnicodeScalar(tag)) {
        case "p": try print("_")
        case "h", "t", "m", "y", "o", "j": try integer()
        case "a", "s", "l", "x", "n", "i":
            if reader.accept("n") { try print("-") }
            try integer()
        case "b": try boolean()
        case "c": try character()
        case "e": try braced(!inValue) { (printer) throws(Failure) in try printer.text("*") }
        case "R" where reader.accept("e"): try text("")
        case "R", "Q":
            try braced(!inValue) { (printer) throws(Failure) in
                try printer.print(tag == UInt8(ascii: "R") ? "&" : "&mut ")
                try printer.constant(inValue: true)
            }
        case "A", "T", "V":
            try braced(!inValue) { (printer) throws(Failure) in try printer.aggregate(tag) }
        case "B":
            try referred { (printer) throws(Failure) in try printer.constant(inValue: inValue) }
        default: throw .invalid
        }
    }

    private mutating func braced(
        _ isBraced: Bool, _ body: (inout RustV0Printer) throws(Failure) -> Void
    ) throws(Failure) {
        if isBraced { try print("{") }
        try body(&self)
        if isBraced { try print("}") }
    }

    private mutating func integer() throws(Failure) {
        let digits = String(decoding: try reader.hexadecimal(), as: UTF8.self)
        if let value = UInt64(digits.isEmpty ? "0" : digits, radix: 16) {
            try print(String(value))
        } else {
            try print("0x" + digits)
        }
    }

    private mutating func boolean() throws(Failure) {
        switch try reader.hexadecimal() {
        case [UInt8(ascii: "0")]: try print("false")
        case [UInt8(ascii: "1")]: try print("true")
        default: throw .invalid
        }
    }

    private mutating func character() throws(Failure) {
        let digits = String(decoding: try reader.hexadecimal(), as: UTF8.self)
        guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw .invalid
        }
        try print("'" + Self.escaped(scalar, quote: "'") + "'")
    }

    /// Prints a string of hexadecimal UTF-8.
    private mutating func text(_ sign: String) throws(Failure) {
        let digits = Array(try reader.hexadecimal())
        guard digits.count.isMultiple(of: 2) else { throw .invalid }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
            digits[index].hexDigitValue << 4 | digits[index + 1].hexDigitValue
        }
        let quoted = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .map { Self.escaped($0, quote: "\"") }.joined()
        try print(sign + "\"" + quoted + "\"")
    }

    private static func escaped(_ scalar: Unicode.Scalar, quote: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\0": "\\0"
        case "\\", quote: "\\" + String(scalar)
        case _ where scalar.properties.generalCategory == .control:
            "\\u{" + String(scalar.value, radix: 16) + "}"
        default: String(scalar)
        }
    }

    private mutating func aggregate(_ tag: UInt8) throws(Failure) {
        switch tag {
        case UInt8(ascii: "A"):
            try print("[")
            try list { (printer) throws(Failure) in try printer.constant(inValue: true) }
            try print("]")
        case UInt8(ascii: "T"):
            try print("(")
            let count = try list { (printer) throws(Failure) in try printer.constant(inValue: true)
            }
            try print(count == 1 ? ",)" : ")")
        default: try variant()
        }
    }

    /// Prints a value of a structure or an enumeration's case.
    private mutating func variant() throws(Failure) {
        try path(inValue: true)
        switch try reader.next() {
        case UInt8(ascii: "U"): break
        case UInt8(ascii: "T"):
            try print("(")
            try list { (printer) throws(Failure) in try printer.constant(inValue: true) }
            try print(")")
        case UInt8(ascii: "S"):
            try print(" { ")
            try list { (printer) throws(Failure) in
                _ = try printer.reader.optionalBase62("s")
                try printer.print(printer.name() + ": ")
                try printer.constant(inValue: true)
            }
            try print(" }")
        default: throw .invalid
        }
    }
}
