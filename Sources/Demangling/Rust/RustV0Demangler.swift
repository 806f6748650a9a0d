/// Rust names in the current form, `_RNvCs1234_7mycrate3foo`.
///
/// A back reference repeats an earlier part of the name, so that text can grow exponentially.
/// Printing stops at ``Demangler/textBytesLimit``, and references are not followed while printing
/// is off.
struct RustV0Demangler {
    /// - Parameter mangled: The name with one underscore.
    /// - Returns: `nil` if the name violates the grammar.
    func text(of mangled: Substring) -> BoundedText? {
        let bytes = Array(mangled.utf8.dropFirst(2))
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        var printer = RustV0Printer(bytes[...])
        do throws(RustV0Reader.Failure) {
            try printer.symbol()
            return BoundedText(printer.text)
        } catch {
            let isShort = error == .invalid || !printer.isFull
            return isShort ? nil : BoundedText(bytes: printer.text.utf8, isTruncated: true)
        }
    }
}

/// The state while printing one name. Paths are in this file, types and constants in extensions.
struct RustV0Printer {
    typealias Failure = RustV0Reader.Failure

    /// The maximum nesting of paths and types. Real names stay below 60.
    private static let nestingLimit = 128
    /// The maximum number of paths, types and constants visited.
    private static let stepLimit = 50_000

    var reader: RustV0Reader
    private(set) var text = ""
    /// Whether to parse without printing, as for the path of an `impl`.
    var isSilent = false
    var boundLifetimes: UInt64 = 0
    private var nesting = 0
    private var steps = 0

    init(_ bytes: ArraySlice<UInt8>) {
        reader = RustV0Reader(bytes)
    }

    var isFull: Bool { text.utf8.count > Demangler.textBytesLimit }

    mutating func symbol() throws(Failure) {
        try path(inValue: true)
        if let byte = reader.peek(), (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
            // The crate that instantiated a generic function is not part of the name.
            isSilent = true
            try path(inValue: false)
        }
        guard
            reader.isAtEnd || reader.peek() == UInt8(ascii: ".")
                || reader.peek() == UInt8(ascii: "$")
        else { throw .invalid }
    }

    mutating func print(_ piece: String) throws(Failure) {
        guard !isSilent else { return }
        text += piece
        if isFull { throw .limit }
    }

    /// Reads an identifier. Returns an empty text while silent, because decoding Punycode is slow.
    mutating func name() throws(Failure) -> String {
        guard isSilent else { return try reader.name() }
        _ = try reader.encodedName()
        return ""
    }

    /// Calls `body` one level of nesting deeper.
    mutating func nested(
        _ body: (inout RustV0Printer) throws(Failure) -> Void
    ) throws(Failure) {
        nesting += 1
        steps += 1
        guard nesting <= Self.nestingLimit, steps <= Self.stepLimit else { throw .limit }
        try body(&self)
        nesting -= 1
    }

    /// Prints an earlier part of the name with `body`.
    mutating func referred(
        _ body: (inout RustV0Printer) throws(Failure) -> Void
    ) throws(Failure) {
        let target = try reader.backReference()
        guard !isSilent else { return }
        let back = reader.position
        reader.position = target
        try nested(body)
        reader.position = back
    }

    /// Prints items up to `E` and returns their number.
    @discardableResult
    mutating func list(
        separator: String = ", ", _ item: (inout RustV0Printer) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        var count = 0
        while !reader.accept("E") {
            if count > 0 { try print(separator) }
            try item(&self)
            count += 1
        }
        return count
    }
}

extension RustV0Printer {
    /// - Parameter inValue: Whether generic arguments follow `::`, as in expressions.
    mutating func path(inValue: Bool) throws(Failure) {
        try nested { (printer) throws(Failure) in try printer.pathHere(inValue: inValue) }
    }

    private mutating func pathHere(inValue: Bool) throws(Failure) {
        switch try reader.next() {
        case UInt8(ascii: "C"):
            // It tells builds of a crate apart, and is not part of the text.
            _ = try reader.optionalBase62("s")
            try print(name())
        case UInt8(ascii: "N"): try nestedName(inValue: inValue)
        case UInt8(ascii: "M"):
            try implementationPath()
            try qualified(withTrait: false)
        case UInt8(ascii: "X"):
            try implementationPath()
            try qualified(withTrait: true)
        case UInt8(ascii: "Y"): try qualified(withTrait: true)
        case UInt8(ascii: "I"):
            try path(inValue: inValue)
            try print(inValue ? "::<" : "<")
            try list { (printer) throws(Failure) in try printer.genericArgument() }
            try print(">")
        case UInt8(ascii: "B"):
            try referred { (printer) throws(Failure) in try printer.path(inValue: inValue) }
        default: throw .invalid
        }
    }

    private mutating func nestedName(inValue: Bool) throws(Failure) {
        let namespace = try reader.next()
        try path(inValue: inValue)
        let disambiguator = try reader.optionalBase62("s")
        let name = try name()
        switch namespace {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            let kind =
                switch namespace {
                case UInt8(ascii: "C"): "closure"
                case UInt8(ascii: "S"): "shim"
                default: String(UnicodeScalar(namespace))
                }
            try print("::{\(kind)\(name.isEmpty ? "" : ":" + name)#\(disambiguator)}")
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            if !name.isEmpty { try print("::" + name) }
        default: throw .invalid
        }
    }

    /// The path of an `impl` distinguishes names and is not shown.
    private mutating func implementationPath() throws(Failure) {
        _ = try reader.optionalBase62("s")
        let wasSilent = isSilent
        isSilent = true
        try path(inValue: false)
        isSilent = wasSilent
    }

    private mutating func qualified(withTrait: Bool) throws(Failure) {
        try print("<")
        try type()
        if withTrait {
            try print(" as ")
            try path(inValue: false)
        }
        try print(">")
    }

    mutating func genericArgument() throws(Failure) {
        if reader.accept("L") {
            try lifetime(reader.base62())
        } else if reader.accept("K") {
            try constant(inValue: false)
        } else {
            try type()
        }
    }
}
