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
    /// Whether somebody looks at ``identifierBytes``.
    var keepsIdentifiers = false
    /// The identifier reported last, words put in, as far as it is below 64 KiB.
    var identifierBytes: [UInt8] = []
    /// The first words of the identifiers so far, which later ones name by a letter.
    var words: [Range<Int>] = []
    /// No word of an identifier, wherever identifiers are, is longer.
    private(set) lazy var longestWordBytes = longestRun()
    var position = 0
    /// Whether an operator was met that the reader does not know.
    var isLost = false
    /// What is left from the first operator that the reader does not know.
    var unread: ArraySlice<UInt8> { bytes[position...] }
    /// Whether an identifier was encoded, so that it does not show what it says.
    var hasPunycode = false
    /// Where the requirement read last ends, markers of packs apart.
    var requirementEnd: Int?
    /// Parameters that are said to be packs.
    var packMarkers = 0
    /// More of them are left to the child. Real names have one or two.
    static let packMarkersLimit = 8
    /// References come several in a row after one `A`.
    var isInReferences = false
    /// Events found together, the next one last.
    var queue: [Event] = []

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
    /// After an `A`: `B` is part 1 and the last; `b` is part 1 and more follow; `3b` is three of it;
    /// `3_` is part 30.
    mutating func nextReference() -> Event? {
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
    func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// A decimal number; saturates where the runtime's would overflow and fail.
    mutating func natural() -> Int? {
        guard let first = peek(), Self.isDigit(first) else { return nil }
        var number = 0
        while let byte = peek(), Self.isDigit(byte) {
            number = min(number * 10 + Int(byte - UInt8(ascii: "0")), Int(Int32.max))
            position += 1
        }
        return number
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    mutating func accept(_ letter: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: letter) else { return false }
        position += 1
        return true
    }

    static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The longest run without `_` and without a capital after a small letter.
    private func longestRun() -> Int {
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
