extension SwiftNameReader {
    /// Reads an operator after its first letter. Returns `nil` if it is unknown.
    mutating func operation(_ letter: UInt8) -> Event? {
        switch Unicode.Scalar(letter) {
        case "A":
            isInReferences = true
            return nextReference()
        case "C", "O", "V", "P", "a", "G": return .part
        case "E", "F", "K", "N", "Z", "c", "d", "h", "m", "n", "p", "s", "t", "u", "x", "y", "z",
            "D", "l":
            return .operator(1)
        case "_": return .operator(1)
        case "S": return standard()
        case "B": return oneOf("AbBeIOopjDctw") ?? oneOf("ifv", thenIndexes: 1)
        case "H": return oneOf("CPp") ?? oneOf("ADI", thenIndexes: 1)
        case "L": return oneOf("LlabcdefghijABCDEFGHIJ") ?? indexes(1)
        case "I": return implementation()
        case "Q": return archetype()
        case "R": return requirement()
        case "M": return oneOf("aDfFcinprVbuLl")
        case "T":
            return oneOf("WojqAaODmRrKkCVbnlLNuHh") ?? oneOf("QY", thenIndexes: 1)
                ?? specialization()
        case "W": return witness()
        case "w": return oneOf(Self.letters) == nil ? nil : oneOf(Self.letters)
        case "X": return oneOf("EKAouwplcDePCBLf") ?? (oneOf("Mm") == nil ? nil : oneOf("tTo"))
        case "Y": return oneOf("aAbcCikKtTu") ?? (oneOf("j") == nil ? nil : oneOf("flrd"))
        case "f": return oneOf("DdeECciPWZF") ?? oneOf("UuA", thenIndexes: 1)
        case "g": return indexes(1)
        case "i", "v": return accessor()
        case "o": return oneOf("ipP")
        case "q": return genericParameter()
        case "r": return parameterCounts()
        case ".": return suffix()
        default: return nil
        }
    }

    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    private mutating func oneOf(_ letters: String, thenIndexes count: Int = 0) -> Event? {
        guard let byte = peek(), letters.utf8.contains(byte) else { return nil }
        position += 1
        if count > 0 { return indexes(count) }
        return .operator(2)
    }

    /// Reads `Si`, `S2i`, `ScA`, the modules `So` and `SC`, and `Sg`, which makes an optional.
    private mutating func standard() -> Event? {
        if peek() == UInt8(ascii: "g") {
            position += 1
            return .part
        }
        let count = natural() ?? 1
        if peek() == UInt8(ascii: "c") { position += 1 }
        guard let byte = peek(), Self.isLetter(byte) else { return nil }
        position += 1
        return .standardType(count: count)
    }

    /// Reads indexes: `_` is 0, `0_` is 1, and so on.
    private mutating func indexes(_ count: Int) -> Event? {
        for _ in 0..<count {
            _ = natural()
            guard peek() == UInt8(ascii: "_") else { return nil }
            position += 1
        }
        return .operator(2 + count)
    }

    private mutating func genericParameter() -> Event? {
        guard let byte = peek() else { return nil }
        // The only parameter, and the protocol itself in `any P<T>`.
        if byte == UInt8(ascii: "z") || byte == UInt8(ascii: "s") {
            position += 1
            return .operator(2)
        }
        if byte == UInt8(ascii: "d") {
            position += 1
            return indexes(2)
        }
        return indexes(1)
    }

    private mutating func archetype() -> Event? {
        if let event = oneOf("zZxXrpOP") ?? oneOf("oR", thenIndexes: 1) { return event }
        return oneOf("yY") == nil ? nil : genericParameter()
    }

    /// Reads `Rz` and `Rp_…`, a parameter and a kind of requirement. Layouts follow it; those with
    /// sizes are unknown.
    private mutating func requirement() -> Event? {
        if peek() == UInt8(ascii: "v"), requirementEnd != position - 1 { return packMarker() }
        defer { requirementEnd = position }
        if oneOf("SBQ") != nil { return .operator(2) }
        if oneOf("lLmM") != nil {
            return genericParameter() == nil ? nil : oneOf("URNCDT")
        }
        if oneOf("i") != nil, indexes(1) == nil { return nil }
        _ = oneOf("pPtTcCsbh")
        return genericParameter()
    }

    /// Reads `Rv_`, which marks a parameter as a pack. Outside a signature, or after another
    /// requirement, it makes the runtime abort, so it is only known if it comes first, directly
    /// before the signature. The runtime searches all markers for every parameter that it prints.
    private mutating func packMarker() -> Event? {
        position += 1
        packMarkers += 1
        guard genericParameter() != nil, packMarkers <= Self.packMarkersLimit, let next = peek()
        else { return nil }
        switch Unicode.Scalar(next) {
        case "l", "r": return .operator(2)
        case "R":
            let isMarker = position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "v")
            return isMarker ? .operator(2) : nil
        default: return nil
        }
    }

    /// Reads the type of a function in machine form, `Iegnr_`: letters up to `_`. Digits only occur
    /// with a C type, which is unknown.
    private mutating func implementation() -> Event? {
        let letters = bytes[position...].prefix(while: Self.isLetter).count
        guard position + letters < bytes.count, bytes[position + letters] == UInt8(ascii: "_")
        else { return nil }
        position += letters + 1
        return .operator(letters + 2)
    }

    private mutating func accessor() -> Event? {
        if oneOf("al") != nil { return oneOf("OoPu") }
        return oneOf("gsmMrpwWG")
    }

    private mutating func witness() -> Event? {
        if oneOf("O") != nil { return oneOf("yebcdfhrskg") ?? oneOf("ij", thenIndexes: 1) }
        if oneOf("v") != nil { return oneOf("di") }
        return oneOf("lLTCPVbIatGrZzp")
    }

    /// Reads `Tg5`: flags and the number of the compiler pass. `Tt0g5` drops the first argument.
    private mutating func specialization() -> Event? {
        while accept("t") { _ = natural() }
        let isOfSignature = accept("f")
        guard isOfSignature || oneOf("gGBsip") != nil else { return nil }
        while oneOf("mqa") != nil {}
        guard oneOf("0123456789") != nil else { return nil }
        return isOfSignature ? signatureSpecialization() : .operator(2)
    }

    /// Reads `Tf4nd_n`: the change of each parameter, and of the result.
    private mutating func signatureSpecialization() -> Event? {
        // A constant argument may be a mangled name, and Punycode would hide it.
        guard !hasPunycode else { return nil }
        let start = position
        repeat {
            guard specializedParameter() else { return nil }
        } while peek() != UInt8(ascii: "_")
        position += 1
        guard specializedParameter() else { return nil }
        return .operator(position - start + 2)
    }

    /// In the order of the cases: unchanged, a closure, exploded, two kinds of box, `inout` turned
    /// into a result; a constant; and dead, existential, owned or guaranteed, with further letters.
    private mutating func specializedParameter() -> Bool {
        guard let byte = peek() else { return false }
        position += 1
        switch Unicode.Scalar(byte) {
        case "n", "c", "x", "i", "s", "r": return true
        case "p": return specializedConstant()
        case "d": accept(eachOf: "GOX")
        case "e": accept(eachOf: "DGOX")
        case "g", "o": accept(eachOf: "X")
        default: return false
        }
        return true
    }

    private mutating func specializedConstant() -> Bool {
        if oneOf("fgk") != nil { return true }
        if oneOf("id") != nil { return natural() != nil }
        return accept("s") && oneOf("bwc") != nil
    }

    private mutating func accept(eachOf letters: String) {
        for letter in letters.unicodeScalars { _ = accept(letter) }
    }

    private mutating func parameterCounts() -> Event? {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "l"):
                position += 1
                return .operator(2)
            case UInt8(ascii: "z"):
                position += 1
            default:
                guard indexes(1) != nil else { return nil }
            }
            queue.append(.index)
        }
        return nil
    }

    /// The rest is shown unchanged.
    private mutating func suffix() -> Event? {
        let count = bytes.count - position
        position = bytes.count
        return .operator(1 + count / 16)
    }
}
