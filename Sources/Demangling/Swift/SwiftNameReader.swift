/// Reads the operators of a mangled Swift name from left to right, as far as needed for
/// ``SwiftExpansionBound``.
///
/// Swift's mangling is postfix, and an operator's letters can only be distinguished from an
/// identifier's by reading everything before them. The reader supports the operators of nearly all
/// names. At an unknown one it is *lost*: from there on it treats every byte as an operator, and
/// every `A` also as a reference, so it never reports too few.
///
/// The grammar is `docs/ABI/Mangling.rst` of the Swift project.
struct SwiftNameReader {
    enum Event {
        /// An operator of the given number of bytes that creates no part.
        case `operator`(Int)
        /// A number, which may count generic parameters.
        case index
        /// An identifier with the given number of bytes, which is a part.
        case identifier(Int)
        /// The maximum number of words of earlier identifiers.
        case words(Int)
        /// An operator whose result can be referred to later.
        case part
        /// A known type such as `Si`, repeated.
        case standardType(count: Int)
        /// A reference to a part, repeated. The index may be out of range.
        case reference(index: Int, count: Int)
    }

    let bytes: [UInt8]
    /// Whether to fill ``identifierBytes``.
    var keepsIdentifiers = false
    /// The latest identifier with its words expanded, up to 64 KiB.
    var identifierBytes: [UInt8] = []
    /// The first words of the identifiers so far, which later ones refer to by a letter.
    var words: [Range<Int>] = []
    /// The maximum length of a word in any identifier.
    private(set) lazy var longestWordBytes = longestRun()
    var position = 0
    /// Whether the reader has found an unknown operator.
    var isLost = false
    /// Whether an identifier is in Punycode, which hides its content.
    var hasPunycode = false
    /// The end of the latest requirement, not counting pack markers.
    var requirementEnd: Int?
    var packMarkers = 0
    /// The maximum number of pack markers without a child. Real names have one or two.
    static let packMarkersLimit = 8
    /// Whether the reader is in a run of references after an `A`.
    var isInReferences = false
    /// Events that were found together, the next one last.
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
        if bytes[start].isDigit { return identifier() ?? lost(at: start) }
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
    /// Reads references after an `A`: `B` is part 1 and ends the run; `b` is part 1 and more
    /// follow; `3b` repeats it three times; `3_` is part 30.
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

    /// Reads bytes whose meaning is unknown. An `A` is read as references, and the bytes after it
    /// are then read again, in case it was part of something else.
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

    /// Reads a decimal number. Saturates where the runtime would overflow and fail.
    mutating func natural() -> Int? {
        guard let first = peek(), first.isDigit else { return nil }
        var number = 0
        while let byte = peek(), byte.isDigit {
            number = min(number * 10 + Int(byte - UInt8(ascii: "0")), Int(Int32.max))
            position += 1
        }
        return number
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

    /// Returns the longest run without `_` and without a capital letter after a small one.
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
