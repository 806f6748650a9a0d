extension SwiftNameReader {
    /// An operator whose first letter was read. `nil` for one that is not known.
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
        case "X": return oneOf("EKAouwplcDe")
        case "Y": return oneOf("aAbcCikKtTu") ?? (oneOf("j") == nil ? nil : oneOf("flrd"))
        case "f": return oneOf("DdECciPWZ") ?? oneOf("UuA", thenIndexes: 1)
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

    /// `Si`, `S2i`, `ScA`, the modules `So` and `SC`, and `Sg`, which makes an optional.
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

    /// `_` is 0, `0_` is 1, and so on.
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
        if byte == UInt8(ascii: "z") {
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
        if let event = oneOf("zZxXrp") ?? oneOf("oR", thenIndexes: 1) { return event }
        return oneOf("yY") == nil ? nil : genericParameter()
    }

    /// `Rz` and `Rp_…` name a parameter and a kind of requirement. Layouts follow it; those with
    /// sizes are not known, and neither are packs (`Rv`): outside a signature those make the runtime
    /// abort.
    private mutating func requirement() -> Event? {
        if oneOf("SBQ") != nil { return .operator(2) }
        if oneOf("lLmM") != nil {
            return genericParameter() == nil ? nil : oneOf("URNCDT")
        }
        if oneOf("i") != nil, indexes(1) == nil { return nil }
        _ = oneOf("pPtTcCsbh")
        return genericParameter()
    }

    /// The type of a function in machine form, `Iegnr_`: letters up to `_`. Digits come only with
    /// a C type, which is not known.
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

    /// `Tg5`: flags and the number of the compiler pass. `Tt0g5` drops the first argument as well.
    private mutating func specialization() -> Event? {
        while accept("t") { _ = natural() }
        let isOfSignature = accept("f")
        guard isOfSignature || oneOf("gGBsip") != nil else { return nil }
        while oneOf("mqa") != nil {}
        guard oneOf("0123456789") != nil else { return nil }
        return isOfSignature ? signatureSpecialization() : .operator(2)
    }

    /// `Tf4nd_n`: what became of each parameter, and of the result. A letter stands for words.
    private mutating func signatureSpecialization() -> Event? {
        let start = position
        while oneOf("ncpfgidskeDGOXxr") != nil {}
        guard accept("_"), oneOf("ngdxiser") != nil else { return nil }
        // Where more letters could be flags of the result, they are not told apart.
        guard peek() == nil || peek() == UInt8(ascii: "T") else { return nil }
        return .operator(position - start + 2)
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

    /// The rest is shown as it is.
    private mutating func suffix() -> Event? {
        let count = bytes.count - position
        position = bytes.count
        return .operator(1 + count / 16)
    }
}
