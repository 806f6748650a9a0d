/// Reads the operators of a mangled Swift name from left to right, as far as their size matters.
///
/// Swift's mangling is postfix, and an operator's letters can only be told from an identifier's by
/// reading everything before them. The reader knows the operators of nearly all names. At one that
/// it does not know it is *lost*: from there on every byte is an operator, and every `A` also a
/// reference, so what it reports is never less than what is there.
///
/// The grammar is `docs/ABI/Mangling.rst` of the Swift project.
struct SwiftNameReader {
    enum Event {
        /// So many bytes of operators that make no part.
        case `operator`(Int)
        /// A number, which may stand for a list of generic parameters.
        case index
        /// An identifier of so many bytes. It is a part.
        case identifier(Int)
        /// Words of earlier identifiers, perhaps.
        case words(Int)
        /// An operator whose result later references can name.
        case part
        /// A known type such as `Si`, repeated.
        case standardType(count: Int)
        /// A reference to a part, repeated. The index may be out of reach.
        case reference(index: Int, count: Int)
    }

    let bytes: [UInt8]
    /// The identifier reported last, words put in, as far as it is below 64 KiB.
    private(set) var identifierBytes: [UInt8] = []
    /// The first words of the identifiers so far, which later ones name by a letter.
    private var words: [ArraySlice<UInt8>] = []
    private var position = 0
    /// Whether an operator was met that the reader does not know.
    private(set) var isLost = false
    /// What is left from the first operator that the reader does not know.
    var unread: ArraySlice<UInt8> { bytes[position...] }
    /// References come several in a row after one `A`.
    private var isInReferences = false
    /// Events found together, the next one last.
    private var queue: [Event] = []

    init(_ name: some Sequence<UInt8>) {
        bytes = Array(name)
    }

    mutating func next() -> Event? {
        if let event = queue.popLast() { return event }
        guard position < bytes.count else { return nil }
        if isLost { return nextWhenLost() }
        if isInReferences { return nextReference() }
        let start = position
        if Self.isDigit(bytes[start]) { return identifier() ?? lost(at: start) }
        position += 1
        return operation(bytes[start]) ?? lost(at: start)
    }

    private mutating func lost(at start: Int) -> Event? {
        isLost = true
        position = start
        return nextWhenLost()
    }
}

extension SwiftNameReader {
    /// An operator whose first letter was read. `nil` for one that is not known.
    private mutating func operation(_ letter: UInt8) -> Event? {
        switch Character(UnicodeScalar(letter)) {
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

extension SwiftNameReader {
    private static let wordsLimit = 26
    private static let identifierBytesLimit = 65_536

    /// `4main`; `0a3Foo` with words before its own text; `004abcd` in Punycode.
    private mutating func identifier() -> Event? {
        identifierBytes = []
        var count = 0
        var hasWords = false
        if accept("0") {
            if accept("0") { return punycode() }
            hasWords = true
        }
        repeat {
            while hasWords, let byte = peek(), Self.isLetter(byte) {
                position += 1
                let isLast = byte < UInt8(ascii: "a")
                let index = Int(byte - UInt8(ascii: isLast ? "A" : "a"))
                guard words.indices.contains(index) else { return nil }
                count += words[index].count
                appendToIdentifier(words[index])
                if isLast { hasWords = false }
            }
            if accept("0") { break }
            guard let text = text() else { return nil }
            count += text.count
            appendToIdentifier(text)
            addWords(of: text)
        } while hasWords
        return .identifier(count)
    }

    /// A byte of Punycode gives a scalar of four bytes at most.
    private mutating func punycode() -> Event? {
        guard let count = natural(), count > 0 else { return nil }
        _ = accept("_")
        guard count <= bytes.count - position else { return nil }
        identifierBytes = Array(bytes[position..<position + count])
        position += count
        return .identifier(4 * count)
    }

    private mutating func text() -> ArraySlice<UInt8>? {
        guard let count = natural(), count > 0, count <= bytes.count - position else { return nil }
        position += count
        return bytes[position - count..<position]
    }

    private mutating func appendToIdentifier(_ text: ArraySlice<UInt8>) {
        if identifierBytes.count + text.count < Self.identifierBytesLimit {
            identifierBytes += text
        }
    }

    /// A word starts at anything but `_` and digits, and ends before `_` or a capital that follows
    /// no capital.
    private mutating func addWords(of text: ArraySlice<UInt8>) {
        var start: Int?
        for index in text.startIndex...text.endIndex where words.count < Self.wordsLimit {
            let byte = index < text.endIndex ? text[index] : 0
            if let first = start, index > first, endsWord(byte, after: text[index - 1]) {
                if index - first >= 2 { words.append(text[first..<index]) }
                start = nil
            }
            if start == nil, byte != 0, byte != UInt8(ascii: "_"), !Self.isDigit(byte) {
                start = index
            }
        }
    }

    private func endsWord(_ byte: UInt8, after previous: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "_")
            || (Self.isCapital(byte) && !Self.isCapital(previous))
    }

    /// After an `A`: `B` is part 1 and the last; `b` is part 1 and more follow; `3b` is three of it;
    /// `3_` is part 30.
    private mutating func nextReference() -> Event? {
        let count = natural()
        guard let byte = peek() else {
            isInReferences = false
            return nil
        }
        position += 1
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            return .reference(index: Int(byte - UInt8(ascii: "a")), count: count ?? 1)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            isInReferences = false
            return .reference(index: Int(byte - UInt8(ascii: "A")), count: count ?? 1)
        case UInt8(ascii: "_"):
            isInReferences = false
            return .reference(index: (count ?? -1) + 27, count: 1)
        default:
            isInReferences = false
            isLost = true
            return .operator(1)
        }
    }

    /// Any byte can be anything. An `A` is read as references, and then so are the bytes after it
    /// once more, in case it was part of something else.
    private mutating func nextWhenLost() -> Event? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        let start = position
        switch byte {
        case UInt8(ascii: "A"):
            isInReferences = true
            while isInReferences, let event = nextReference() { queue.append(event) }
            queue.reverse()
            isInReferences = false
            position = start
        case UInt8(ascii: "S"):
            queue.append(.standardType(count: natural() ?? 1))
            position = start
        case UInt8(ascii: "0"):
            let letters = bytes[position...].prefix(while: Self.isLetter).count
            if letters > 0 { queue.append(.words(letters)) }
        case UInt8(ascii: "_"): return .index
        default: break
        }
        return .operator(1)
    }
}

extension SwiftNameReader {
    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// A decimal number; saturates where the runtime's would overflow and fail.
    private mutating func natural() -> Int? {
        guard let first = peek(), Self.isDigit(first) else { return nil }
        var number = 0
        while let byte = peek(), Self.isDigit(byte) {
            number = min(number * 10 + Int(byte - UInt8(ascii: "0")), Int(Int32.max))
            position += 1
        }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func accept(_ letter: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: letter) else { return false }
        position += 1
        return true
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The longest run without `_` and without a capital after a small letter: no word of an
    /// identifier, wherever identifiers are, is longer.
    var longestWordBytes: Int {
        var longest = 0
        var current = 0
        var previousIsUpper = false
        for byte in bytes {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if byte == UInt8(ascii: "_") || (isUpper && !previousIsUpper) { current = 0 }
            current += 1
            longest = max(longest, current)
            previousIsUpper = isUpper
        }
        return longest
    }
}
